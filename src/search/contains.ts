/** Contains: whether a text, folded, holds folded words. What every hit is verified by. */

import { fold, foldWithOffsets } from "../session/fold.ts";

/** Words that stand in folded ASCII text just as they stand in lower-cased ASCII text: white space alone differs. */
const PLAIN_WORDS = /^[!-~]+$/u;
const NOT_ASCII = /\P{ASCII}/u;

/** Same as `fold(text).includes(folded)`, without folding most texts. */
export function containsFolded(text: string, folded: string): boolean {
  if (PLAIN_WORDS.test(folded) && !NOT_ASCII.test(text)) return text.toLowerCase().includes(folded);
  return fold(text).includes(folded);
}

/** Where folded words first stand in a text: UTF-16 units of the text as it is, half-open; null when they do not. */
export function locateFolded(text: string, folded: string): { readonly start: number; readonly end: number } | null {
  if (PLAIN_WORDS.test(folded) && !NOT_ASCII.test(text)) {
    const start = text.toLowerCase().indexOf(folded);
    return start < 0 ? null : { start, end: start + folded.length };
  }
  const { folded: whole, toOriginal } = foldWithOffsets(text);
  const start = whole.indexOf(folded);
  if (start < 0) return null;
  return { start: toOriginal(start, "start"), end: toOriginal(start + folded.length, "end") };
}
