/** Grapheme: what a reader takes for one character, however many code points it is made of. */

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Each of these is a grapheme; CR is left out, since CR LF is one. */
const PLAIN = /^[\n\t -~]*$/u;
const HIGH_SURROGATE = /[\ud800-\udbff]$/u;

/**
 * The longest beginning of a text that is at most `limit` UTF-16 units long and ends between two graphemes. When the
 * first grapheme alone is longer (stacked accents), it is cut between code points.
 */
export function cutToGraphemes(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // Two units more than fit: whatever code point follows the limit, a grapheme that goes on past it is seen to.
  const start = text.slice(0, limit + 2);
  if (PLAIN.test(start)) return text.slice(0, limit);
  let end = 0;
  for (const { segment, index } of SEGMENTER.segment(start)) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return end > 0 ? text.slice(0, end) : text.slice(0, limit).replace(HIGH_SURROGATE, "");
}
