/** Replacements: where masking put a mark in place of a secret, found again by comparing the two texts. Pure. */

/** Ranges in UTF-16 units, half-open. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly maskedStart: number;
  readonly maskedEnd: number;
}

const MARK = /(?:\[redacted:[^\]]*\])+/gu;
/** Units of the text after a mark by which its place in the original is found. */
const ANCHOR_LENGTH = 48;

/**
 * @param masked the original with some ranges replaced by `[redacted:<kind>]`
 * @returns null when it is not that, or when the places cannot be told
 */
export function replacementsOf(original: string, masked: string): readonly Replacement[] | null {
  const found: Replacement[] = [];
  let start = 0;
  let maskedStart = 0;
  for (const mark of masked.matchAll(MARK)) {
    const between = masked.slice(maskedStart, mark.index);
    if (!original.startsWith(between, start)) return null;
    start += between.length;
    // The original said these words itself.
    const isOriginal = original.startsWith(mark[0], start);
    const maskedEnd = mark.index + mark[0].length;
    if (!isOriginal) {
      const end = placeOf(masked.slice(maskedEnd), original, start);
      if (end === -1) return null;
      found.push({ start, end, maskedStart: mark.index, maskedEnd });
      start = end;
    } else start += mark[0].length;
    maskedStart = maskedEnd;
  }
  return original.slice(start) === masked.slice(maskedStart) ? found : null;
}

/** Where what follows a mark goes on in the original. */
function placeOf(rest: string, original: string, from: number): number {
  const next = rest.search(MARK);
  const anchor = rest.slice(0, next === -1 ? ANCHOR_LENGTH : Math.min(next, ANCHOR_LENGTH));
  return next === -1 && rest.length <= ANCHOR_LENGTH ? original.length - rest.length : original.indexOf(anchor, from);
}

/** Moves a place of the original into the masked text: one inside a secret to the beginning or end of its mark. */
export function maskedPlace(replacements: readonly Replacement[], place: number, side: "start" | "end"): number {
  let shift = 0;
  for (const { start, end, maskedStart, maskedEnd } of replacements) {
    if (place <= start) break;
    if (place < end) return side === "start" ? maskedStart : maskedEnd;
    shift = maskedEnd - end;
  }
  return place + shift;
}
