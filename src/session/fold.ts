/**
 * Fold: the one form in which texts and search terms meet. Two texts that a person would call the same word fold to
 * the same string. Index, verification and excerpts all use this fold: a second one, however similar, loses hits.
 */

import { VISIBLE_NUL, wellFormed } from "./well-formed.ts";

/** Raised with any change of what fold gives out; part of the index layout version. */
export const FOLD_VERSION = 1;

/**
 * Put at the end of folded text before it is cut into trigrams, so that its last two characters begin one too.
 * Fold gives out no upper-case letter, so no text and no term can hold it.
 */
export const SENTINEL = "ZZ";

const ASCII_ONLY = /^\p{ASCII}*$/u;
/** White space that must change: a single ordinary space is already folded, and most of any text. */
const ASCII_SPACE = / \s+|[\t-\r]\s*/gu;
const SPACE = /(?: [\s\u0085]|[^\S ]|\u0085)[\s\u0085]*/gu;

/** What is written otherwise or dropped: variation selectors, full-width Latin, typographic quotes and dashes. */
const RESPELLED = /[\u00ab\u00bb\u2010-\u2015\u2018-\u201f\u2039\u203a\u2212\uff01-\uff5e\p{Variation_Selector}]/gu;
const SINGLE_QUOTE = /[\u2018-\u201b\u2039\u203a]/u;
const DOUBLE_QUOTE = /[\u201c-\u201f\u00ab\u00bb]/u;
const DASH = /[\u2010-\u2015\u2212]/u;
const FULL_WIDTH = /[\uff01-\uff5e]/u;
const FULL_WIDTH_SHIFT = 0xfee0;

const MARK = /\p{M}/u;
const LATIN_WITH_MARKS = /(\p{Script=Latin})\p{M}+/gu;
/** The lower-case letters of Latin-1 to Latin Extended-B and of Latin Extended Additional. */
const COMPOSED_LATIN = /[\u00e0-\u024f\u1e00-\u1eff]/gu;
/** Each of them without its accents. A table, because normalising letter by letter is four times as slow. */
const PLAIN_LATIN: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 0x1f00 - 0xe0 }, (_, index) => String.fromCharCode(0xe0 + index))
    .filter((letter) => letter.match(COMPOSED_LATIN) !== null)
    .map((letter) => [letter, letter.normalize("NFD").replace(LATIN_WITH_MARKS, "$1")]),
);

/**
 * Folds a text: well-formed, NUL as U+2400, NFC, lower case without locale (ς as σ, İ as i), full-width Latin,
 * typographic quotes and dashes as ASCII, each run of white space as one space, without variation selectors and
 * without the accents of Latin letters. Folding twice changes nothing.
 */
export function fold(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase().replaceAll("\0", VISIBLE_NUL).replace(ASCII_SPACE, " ");
  // Selectors and full-width letters go first: each can stand between a letter and the accent it composes with.
  const plain = wellFormed(text).replace(RESPELLED, respelled).toLowerCase().replaceAll("ς", "σ");
  return withoutLatinAccents(plain).replace(SPACE, " ");
}

function respelled(character: string): string {
  if (SINGLE_QUOTE.test(character)) return "'";
  if (DOUBLE_QUOTE.test(character)) return '"';
  if (DASH.test(character)) return "-";
  return FULL_WIDTH.test(character) ? String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH_SHIFT) : "";
}

/** NFC without the accents of Latin letters. After lowering: some pairs compose only in lower case (Ϊ + accent). */
function withoutLatinAccents(lowered: string): string {
  // Marks of their own are rare; where there is none, letters can be looked up one by one.
  if (!MARK.test(lowered)) {
    return lowered.replace(COMPOSED_LATIN, (letter) => PLAIN_LATIN.get(letter) ?? letter).normalize("NFC");
  }
  return lowered.normalize("NFD").replace(LATIN_WITH_MARKS, "$1").normalize("NFC");
}

export interface FoldedText {
  readonly folded: string;
  /**
   * The UTF-16 index in the original text of an index in `folded`. As a "start" it is where the character begins that
   * stands there; as an "end" (half-open) it is after everything that folded into the character before it.
   */
  readonly toOriginal: (foldedIndex: number, edge?: "start" | "end") => number;
}

/** Characters that fold one to one, each without regard to what stands before it (test: every one of them does). */
const ONE_TO_ONE =
  "[!-~\u00a1-\u00a9\u00ae-\u02ff\u0370-\u0373\u0376-\u0482\u048a-\u0559\u2010-\u2027\u2030-\u205e\u2190-\u2a6f" +
  "\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e\\u{1f000}-\\u{1faff}]";
const EXTENDING = "[\\p{M}\u1160-\u11ff\\u{16d63}-\\u{16d6a}]";
/** What folds on its own: a run of such characters, a run of white space, or one character with its marks. */
const PIECE = new RegExp(
  `${ONE_TO_ONE}+(?!${EXTENDING})|[\\s\u0085][\\s\u0085\\p{M}]*|[^\\s\u0085]${EXTENDING}*`,
  "gu",
);
const BLOCK_START = new RegExp(ONE_TO_ONE, "gu");
/** UTF-16 units of a block at least: small enough to be looked through piece by piece for one offset. */
const BLOCK_LENGTH = 512;

/** A stretch of text and of its fold. */
interface Stretch {
  readonly folded: number;
  readonly foldedLength: number;
  readonly original: number;
  readonly originalLength: number;
}

/**
 * Folds like `fold` and finds where each character came from. Of the whole text only the offsets of blocks are kept;
 * a block is looked through piece by piece when one of its offsets is asked for.
 */
export function foldWithOffsets(text: string): FoldedText {
  const blocks: Stretch[] = [];
  let folded = "";
  for (let original = 0; original < text.length;) {
    const end = nextBlock(text, original);
    const block = fold(text.slice(original, end));
    blocks.push({ folded: folded.length, foldedLength: block.length, original, originalLength: end - original });
    folded += block;
    original = end;
  }
  // The two ends of a match mostly lie in one block.
  let pieces: { readonly block: Stretch; readonly list: readonly Stretch[] } | null = null;
  return {
    folded,
    toOriginal: (foldedIndex, edge = "start") => {
      // The end of a stretch belongs to the character before it, which may be the last of another block.
      const sought = edge === "end" ? foldedIndex - 1 : foldedIndex;
      const block = lastAtOrBefore(blocks, sought);
      if (block === undefined) return 0;
      if (pieces?.block !== block) pieces = { block, list: piecesOf(text, block) };
      const piece = lastAtOrBefore(pieces.list, sought) ?? block;
      return originalIndex(piece, foldedIndex - piece.folded, edge);
    },
  };
}

/** Where the next block begins: at a character that no mark, accent or white space before it can change. */
function nextBlock(text: string, start: number): number {
  BLOCK_START.lastIndex = start + BLOCK_LENGTH;
  return BLOCK_START.exec(text)?.index ?? text.length;
}

function piecesOf(text: string, block: Stretch): Stretch[] {
  const pieces: Stretch[] = [];
  let { folded, original } = block;
  for (const [piece] of text.slice(original, original + block.originalLength).matchAll(PIECE)) {
    const foldedLength = fold(piece).length;
    pieces.push({ folded, foldedLength, original, originalLength: piece.length });
    folded += foldedLength;
    original += piece.length;
  }
  return pieces;
}

function lastAtOrBefore(stretches: readonly Stretch[], foldedIndex: number): Stretch | undefined {
  let low = 0;
  let high = stretches.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((stretches[middle]?.folded ?? Infinity) <= foldedIndex) low = middle;
    else high = middle - 1;
  }
  return stretches[low];
}

function originalIndex(piece: Stretch, within: number, edge: "start" | "end"): number {
  if (within <= 0) return piece.original;
  const isAfter = within >= piece.foldedLength;
  if (piece.foldedLength === piece.originalLength && !isAfter) return piece.original + within;
  return isAfter || edge === "end" ? piece.original + piece.originalLength : piece.original;
}
