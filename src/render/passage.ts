/** Passage: an excerpt prepared for an answer: secrets masked, one line, with the place of the match kept. Pure. */

import type { Excerpt } from "../search/results.ts";
import { headOf, tailOf } from "./cut.ts";
import { type Mask, oneLine } from "./quote.ts";

export interface Passage {
  readonly before: string;
  /** Empty when the match itself was masked. */
  readonly match: string;
  readonly after: string;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/**
 * Masks the whole excerpt at once, since a secret may reach across the match, and finds the match again: it is kept
 * when no masked place touches it.
 */
export function passageOf(excerpt: Excerpt, mask: Mask): Passage {
  const { text, matchStart, matchEnd, cutBefore, cutAfter } = excerpt;
  const masked = mask(text);
  const shift = masked.length - text.length;
  const isBeforeChange = masked === text || matchEnd <= commonStart(text, masked);
  const isAfterChange = text.length - matchStart <= commonEnd(text, masked);
  const parts = isBeforeChange
    ? split(masked, matchStart, matchEnd)
    : isAfterChange
      ? split(masked, matchStart + shift, matchEnd + shift)
      : { before: masked, match: "", after: "" };
  return { ...parts, cutBefore, cutAfter };
}

/** The passage in at most about `width` UTF-16 units, the match in ⟦brackets⟧, cuts shown as ellipses. */
export function passageText(passage: Passage, width: number): string {
  const match = headOf(passage.match, width);
  const room = Math.max(width - match.length, 0);
  const half = Math.floor(room / 2);
  const afterRoom = Math.max(half, room - passage.before.length);
  const after = match.length < passage.match.length ? "" : headOf(passage.after, afterRoom);
  const before =
    passage.match === "" ? headOf(passage.before, width) : tailOf(passage.before, Math.max(room - after.length, 0));
  const isCutBefore = passage.cutBefore || (passage.match !== "" && before.length < passage.before.length);
  const isCutAfter =
    passage.cutAfter ||
    match.length < passage.match.length ||
    after.length < passage.after.length ||
    (passage.match === "" && before.length < passage.before.length);
  const marked = match === "" ? "" : `⟦${match}⟧`;
  return `${isCutBefore ? "…" : ""}${before}${marked}${after}${isCutAfter ? "…" : ""}`;
}

function split(text: string, start: number, end: number): Pick<Passage, "before" | "match" | "after"> {
  return {
    before: oneLine(text.slice(0, start)),
    match: oneLine(text.slice(start, end)),
    after: oneLine(text.slice(end)),
  };
}

function commonStart(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length] === b[length]) length += 1;
  return length;
}

function commonEnd(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.at(-1 - length) === b.at(-1 - length)) length += 1;
  return length;
}
