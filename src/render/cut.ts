/** Cuts: text shortened to a length in UTF-16 units. Pure. */

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Whether a cut here needs no looking up: below the combining marks (U+0300) only CR and LF belong together. Looking up
 * costs some 20 microseconds, and an answer may hold a thousand excerpts.
 */
function isPlainCut(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const next = text.charCodeAt(index);
  return before < 0x300 && next < 0x300 && next !== 0x0a;
}

/** The longest beginning of at most `units` UTF-16 units that ends between two graphemes; may be empty. */
export function headOf(text: string, units: number): string {
  if (text.length <= units) return text;
  if (units <= 0) return "";
  return text.slice(0, isPlainCut(text, units) ? units : segmenter.segment(text).containing(units)?.index);
}

/** The longest end of at most `units` UTF-16 units that begins between two graphemes; may be empty. */
export function tailOf(text: string, units: number): string {
  if (text.length <= units) return text;
  if (units <= 0) return "";
  const from = text.length - units;
  if (isPlainCut(text, from)) return text.slice(from);
  const at = segmenter.segment(text).containing(from);
  return text.slice(at === undefined || at.index === from ? from : at.index + at.segment.length);
}

/** The beginning of at most `units` UTF-16 units, with an ellipsis when something was cut. */
export function clip(text: string, units: number): string {
  return text.length <= units ? text : `${headOf(text, units - 1)}…`;
}

/** The beginning of exactly `units` UTF-16 units: one less where a surrogate pair would be split. */
export function headWithin(text: string, units: number): string {
  if (text.length <= units) return text;
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}
