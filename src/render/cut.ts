/** Cuts: text shortened to a length in UTF-16 units. Pure. */

import { cutToGraphemes } from "../session/grapheme.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The longest end of at most `units` UTF-16 units that begins between two graphemes. */
export function tailOf(text: string, units: number): string {
  if (text.length <= units) return text;
  if (units <= 0) return "";
  const from = text.length - units;
  const at = segmenter.segment(text).containing(from);
  return text.slice(at === undefined || at.index === from ? from : at.index + at.segment.length);
}

/** The beginning of at most `units` UTF-16 units, with an ellipsis when something was cut. */
export function clip(text: string, units: number): string {
  return text.length <= units ? text : `${cutToGraphemes(text, units - 1)}…`;
}

/** The beginning of exactly `units` UTF-16 units: one less where a surrogate pair would be split. */
export function headWithin(text: string, units: number): string {
  if (text.length <= units) return text;
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}
