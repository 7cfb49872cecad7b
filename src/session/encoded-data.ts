/** Encoded data: files written as text (data URLs, base64). Nobody searches for it, and it is most of what it is in. */

/** Stands where something was left out. */
export const CUT_MARK = "[…]";

const DATA_URL = /(data:[\w.+-]+\/[\w.+-]+(?:;[^\s,;"'<>]+)*,)[^\s"'`<>()\\]+/giu;
const BASE64_RUN = /[A-Za-z0-9+/_-]{256,}={0,2}/gu;
/** As PEM and mail write it: at least four full lines of one run. */
const BASE64_LINES = /(?:[A-Za-z0-9+/]{60,100}\r?\n){4,}[A-Za-z0-9+/]*={0,2}/gu;

/** The text with a mark in the place of data URLs' contents and of long base64 runs; the words around them stay. */
export function withoutEncodedData(text: string): string {
  return text.replace(DATA_URL, `$1${CUT_MARK}`).replace(BASE64_LINES, markIfBase64).replace(BASE64_RUN, markIfBase64);
}

/** Base64 of any length mixes all three classes; a ruler of dashes, a hex dump or a repeated letter does not. */
function markIfBase64(run: string): string {
  return /[a-z]/u.test(run) && /[A-Z]/u.test(run) && /[0-9]/u.test(run) ? CUT_MARK : run;
}
