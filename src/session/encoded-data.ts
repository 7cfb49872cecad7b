/** Encoded data: files written as text (data URLs, base64). Nobody searches for it, and it is most of what it is in. */

/** Stands where something was left out. */
export const CUT_MARK = "[…]";

const DATA_URL = /(data:[\w.+-]+\/[\w.+-]+(?:;[^\s,;"'<>]+)*,)[^\s"'`<>()\\]+/gu;
const BASE64_RUN = /[A-Za-z0-9+/_-]{256,}={0,2}/gu;
/** As PEM and mail write it: at least four full lines of one run. */
const BASE64_LINES = /^(?:[ \t]*[A-Za-z0-9+/]{60,100}\r?\n){4,}[ \t]*[A-Za-z0-9+/]*={0,2}/gmu;

/** The shortest run that any of the patterns takes: the lines of BASE64_LINES. */
const SHORTEST_RUN = 60;

/** The text with a mark in the place of data URLs' contents and of long base64 runs; the words around them stay. */
export function withoutEncodedData(text: string): string {
  const withoutUrls = text.includes("data:") ? text.replace(DATA_URL, `$1${CUT_MARK}`) : text;
  if (!hasLongRun(withoutUrls)) return withoutUrls;
  return withoutUrls.replace(BASE64_RUN, markIfBase64).replace(BASE64_LINES, markIfBase64);
}

/**
 * Whether the text holds a run of base64 characters long enough to be looked at. Looks backwards from where such a
 * run would end, so that in ordinary text it touches one character in ten: the patterns themselves take longer than
 * all the rest of making a document.
 */
function hasLongRun(text: string): boolean {
  let start = 0;
  while (start + SHORTEST_RUN <= text.length) {
    let index = start + SHORTEST_RUN - 1;
    while (index >= start && isBase64(text.charCodeAt(index))) index -= 1;
    if (index < start) return true;
    start = index + 1;
  }
  return false;
}

/** A-Z, a-z, 0-9, "+", "/", "-", "_" as UTF-16 units. */
function isBase64(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 47 && unit <= 57) ||
    unit === 43 ||
    unit === 45 ||
    unit === 95
  );
}

/** Base64 of any length mixes all three classes; a ruler of dashes, a hex dump or a repeated letter does not. */
function markIfBase64(run: string): string {
  return /[a-z]/u.test(run) && /[A-Z]/u.test(run) && /[0-9]/u.test(run) ? CUT_MARK : run;
}
