/** Passage: an excerpt prepared for an answer: secrets masked, one line, with the place of the match kept. Pure. */

import type { Excerpt } from "../search/results.ts";
import { headOf, tailOf } from "./cut.ts";
import { type Mask, oneLine } from "./quote.ts";
import { maskedPlace, replacementsOf } from "./replacements.ts";

export interface Passage {
  readonly before: string;
  /** Empty when the match itself was masked. */
  readonly match: string;
  readonly after: string;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/**
 * Masks the excerpt together with what stands around it, since a secret may reach across its edges, and finds excerpt
 * and match again. The match is marked when no secret touches it.
 */
export function passageOf(excerpt: Excerpt, mask: Mask): Passage {
  const { text, matchStart, matchEnd, cutBefore, cutAfter, surroundings } = excerpt;
  const original = surroundings.before + text + surroundings.after;
  const masked = mask(original);
  const cuts = { cutBefore, cutAfter };
  const replacements = masked === original ? [] : replacementsOf(original, masked);
  // It cannot be told which part of the masked text is the excerpt.
  if (replacements === null) return { ...unmarked("[redacted]"), ...cuts };
  const from = surroundings.before.length;
  const start = maskedPlace(replacements, from, "start");
  const shown = masked.slice(start, maskedPlace(replacements, from + text.length, "end"));
  const isMatchMasked = replacements.some((secret) => secret.start < from + matchEnd && secret.end > from + matchStart);
  if (isMatchMasked) return { ...unmarked(shown), ...cuts };
  const match = maskedPlace(replacements, from + matchStart, "start") - start;
  return { ...split(shown, match, match + matchEnd - matchStart), ...cuts };
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

function unmarked(text: string): Pick<Passage, "before" | "match" | "after"> {
  return { before: oneLine(text), match: "", after: "" };
}

function split(text: string, start: number, end: number): Pick<Passage, "before" | "match" | "after"> {
  return {
    before: oneLine(text.slice(0, start)),
    match: oneLine(text.slice(start, end)),
    after: oneLine(text.slice(end)),
  };
}
