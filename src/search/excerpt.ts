/** Excerpt: the piece of a text around a match, short enough to list many and cut where a reader would not notice. */

import { PART_SEPARATOR } from "../session/searchable-text.ts";
import type { FoldedWords } from "./folded-words.ts";
import type { Excerpt } from "./results.ts";

/** UTF-16 units of an excerpt at most. */
export const EXCERPT_LENGTH = 300;
/** UTF-16 units given on either side for masking: a private key of 4,096 bits is 3,300 long. */
const SURROUNDINGS_LENGTH = 4096;
/** UTF-16 units around a cut in which graphemes are looked for: longer than any a person reads as one character. */
const LEAD = 64;

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * The excerpt around the first place where folded words stand in a text.
 * @param text one document: parts of a message, of which the excerpt shows only the one that matched
 * @param isContinued whether the document is a later piece of its message, so that something stands before it
 */
export function excerptAround(text: string, words: FoldedWords, isContinued: boolean): Excerpt {
  const match = words.placeIn(text) ?? { start: 0, end: 0 };
  const partStart = text.lastIndexOf(PART_SEPARATOR, match.start - 1);
  const from = partStart < 0 ? 0 : partStart + PART_SEPARATOR.length;
  const next = text.indexOf(PART_SEPARATOR, match.end);
  const part = text.slice(from, next < 0 ? text.length : next);
  const start = match.start - from;
  const end = match.end - from;
  const window = windowAround(part, start, end);
  const matchEnd = Math.max(Math.min(end, window.end), Math.min(start, window.end));
  return {
    text: part.slice(window.start, window.end),
    matchStart: Math.min(start, window.end) - window.start,
    matchEnd: matchEnd - window.start,
    cutBefore: window.start > 0 || (from === 0 && isContinued),
    cutAfter: window.end < part.length,
    surroundings: {
      before: part.slice(Math.max(0, window.start - SURROUNDINGS_LENGTH), window.start),
      after: part.slice(window.end, window.end + SURROUNDINGS_LENGTH),
    },
  };
}

/** A stretch of at most EXCERPT_LENGTH units with the match in its middle, or at an edge of the text. */
function windowAround(text: string, start: number, end: number): { readonly start: number; readonly end: number } {
  if (text.length <= EXCERPT_LENGTH) return { start: 0, end: text.length };
  const margin = Math.max(0, EXCERPT_LENGTH - (end - start)) >> 1;
  const wantedStart = Math.min(Math.max(0, start - margin), text.length - EXCERPT_LENGTH);
  const windowStart = boundaryAfter(text, wantedStart, start);
  const windowEnd = boundaryBefore(text, windowStart, Math.min(windowStart + EXCERPT_LENGTH, text.length));
  return { start: windowStart, end: windowEnd };
}

/** The first grapheme boundary at or after `index`, but not after `latest`, where something to be shown begins. */
function boundaryAfter(text: string, index: number, latest: number): number {
  if (index === 0 || isPlainBoundary(text, index)) return index;
  const from = flagsStart(text, codePointStart(text, Math.max(0, index - LEAD)));
  for (const segment of SEGMENTER.segment(text.slice(from, latest + LEAD))) {
    if (from + segment.index >= index) return Math.min(from + segment.index, codePointStart(text, latest));
  }
  return codePointStart(text, latest);
}

/** The last grapheme boundary at or before `index`; a grapheme that alone fills the window is cut between code points. */
function boundaryBefore(text: string, start: number, index: number): number {
  if (index === text.length || isPlainBoundary(text, index)) return index;
  let boundary = start;
  for (const segment of SEGMENTER.segment(text.slice(start, index + LEAD))) {
    if (start + segment.index > index) break;
    boundary = start + segment.index;
  }
  return boundary > start ? boundary : codePointStart(text, index);
}

/** Between two ASCII characters graphemes end, except within a line break of two; most cuts need no more than this. */
function isPlainBoundary(text: string, index: number): boolean {
  return /^\p{ASCII}{2}$/u.test(text.slice(index - 1, index + 1)) && text[index] !== "\n";
}

/** Where a row of flags around `index` begins: each is two letters, and only counting from the first tells which two. */
function flagsStart(text: string, index: number): number {
  let start = index;
  while (start >= 2 && /^[\u{1f1e6}-\u{1f1ff}]$/u.test(text.slice(start - 2, start))) start -= 2;
  return start;
}

/** `index`, or the one before when it stands inside a surrogate pair. */
function codePointStart(text: string, index: number): number {
  const code = text.codePointAt(index - 1) ?? 0;
  return code > 0xffff ? index - 1 : index;
}
