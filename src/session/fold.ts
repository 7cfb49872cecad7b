/**
 * Fold: the one form in which texts and search terms meet. Two texts that a person would call the same word fold to
 * the same string. Index, verification and excerpts all use this fold: a second one, however similar, loses hits.
 */

import { wellFormed } from "./well-formed.ts";

/** Raised with any change of what fold gives out; part of the index layout version. */
export const FOLD_VERSION = 1;

/**
 * Put at the end of folded text before it is cut into trigrams, so that its last two characters begin one too.
 * Fold gives out no upper-case letter, so no text and no term can hold it.
 */
export const SENTINEL = "ZZ";

const ASCII_ONLY = /^\p{ASCII}*$/u;
/** White space that must change: a single ordinary space is already folded, and most of any text. */
const UNFOLDED_SPACE = /(?: [\s\u0085]|[^\S ]|\u0085)[\s\u0085]*/gu;

const VARIATION_SELECTOR = /[\ufe00-\ufe0f\u180b-\u180d\u180f\u{e0100}-\u{e01ef}]/gu;
const SINGLE_QUOTE = /[\u2018-\u201b\u2039\u203a]/gu;
const DOUBLE_QUOTE = /[\u201c-\u201f\u00ab\u00bb]/gu;
const DASH = /[\u2010-\u2015\u2212]/gu;
const FULL_WIDTH = /[\uff01-\uff5e]/gu;
const FULL_WIDTH_SHIFT = 0xfee0;

const HAS_ACCENT = /[\u00c0-\u024f\u1e00-\u1eff]|\p{M}/u;
const LATIN_ACCENTS = /(\p{Script=Latin})\p{M}+/gu;

/**
 * Folds a text: well-formed, NUL as U+2400, NFC, lower case without locale (ς as σ, İ as i), full-width Latin,
 * typographic quotes and dashes as ASCII, each run of white space as one space, without variation selectors and
 * without the accents of Latin letters. Folding twice changes nothing.
 */
export function fold(text: string): string {
  const characters = ASCII_ONLY.test(text) ? wellFormed(text.toLowerCase()) : foldCharacters(text);
  return characters.replace(UNFOLDED_SPACE, " ");
}

function foldCharacters(text: string): string {
  // Selectors and full-width letters go first: each can stand between a letter and the accent it composes with.
  const plain = wellFormed(text)
    .replace(VARIATION_SELECTOR, "")
    .replace(SINGLE_QUOTE, "'")
    .replace(DOUBLE_QUOTE, '"')
    .replace(DASH, "-")
    .replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - FULL_WIDTH_SHIFT))
    .toLowerCase()
    .replaceAll("ς", "σ");
  // Normalised after lowering: some pairs compose only in lower case (Ϊ + accent).
  if (!HAS_ACCENT.test(plain)) return plain.normalize("NFC");
  return plain.normalize("NFD").replace(LATIN_ACCENTS, "$1").normalize("NFC");
}

export interface FoldedText {
  readonly folded: string;
  /**
   * The UTF-16 index in the original text of an index in `folded`. As a "start" it is where the character begins that
   * stands there; as an "end" (half-open) it is after everything that folded into the character before it.
   */
  toOriginal(foldedIndex: number, edge?: "start" | "end"): number;
}

/**
 * Pieces of text that fold on their own, so that their folds joined are the fold of the whole: a run of characters
 * that fold one to one (test: every one of them does), a run of white space, or one character with its marks.
 */
const ONE_TO_ONE =
  "[!-~\u00a1-\u00a9\u00ae-\u02ff\u0370-\u0373\u0376-\u0482\u048a-\u0559\u2010-\u2027\u2030-\u205e\u2190-\u2a6f" +
  "\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e\\u{1f000}-\\u{1faff}]";
const EXTENDING = "[\\p{M}\u1160-\u11ff\\u{16d63}-\\u{16d6a}]";
const PIECE = new RegExp(
  `${ONE_TO_ONE}+(?!${EXTENDING})|[\\s\u0085][\\s\u0085\\p{M}]*|[^\\s\u0085]${EXTENDING}*`,
  "gu",
);

/** Folds like `fold` and remembers where each character came from, as runs: their number follows what changed length. */
export function foldWithOffsets(text: string): FoldedText {
  const folded = fold(text);
  if (folded.length === text.length && ASCII_ONLY.test(text)) {
    return { folded, toOriginal: (index) => index };
  }
  const runs = [...foldRuns(text)];
  return {
    folded,
    toOriginal(foldedIndex, edge = "start") {
      const run = runs[lastRunBefore(runs, edge === "end" ? foldedIndex - 1 : foldedIndex)];
      if (run === undefined) return 0;
      const within = foldedIndex - run.folded;
      if (run.foldedLength === run.originalLength) return run.original + Math.min(within, run.originalLength);
      return within >= run.foldedLength || edge === "end" ? run.original + run.originalLength : run.original;
    },
  };
}

/** A stretch of text and of its fold; offsets within run alike when both lengths are equal. */
interface FoldRun {
  readonly folded: number;
  readonly foldedLength: number;
  readonly original: number;
  readonly originalLength: number;
}

function* foldRuns(text: string): Generator<FoldRun> {
  let folded = 0;
  let original = 0;
  let foldedLength = 0;
  let originalLength = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    const length = fold(piece).length;
    if (length !== piece.length || foldedLength !== originalLength) {
      yield { folded, foldedLength, original, originalLength };
      folded += foldedLength;
      original += originalLength;
      foldedLength = 0;
      originalLength = 0;
    }
    foldedLength += length;
    originalLength += piece.length;
  }
  yield { folded, foldedLength, original, originalLength };
}

function lastRunBefore(runs: readonly FoldRun[], foldedIndex: number): number {
  let low = 0;
  let high = runs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((runs[middle]?.folded ?? Infinity) <= foldedIndex) low = middle;
    else high = middle - 1;
  }
  return low;
}
