/**
 * Well-formed text: text that every place we keep it in (SQLite, JSON, a model request) gives back unchanged.
 *
 * A lone surrogate has no UTF-8 form: drivers store it in different ways and model requests fail on it. A NUL ends the
 * text for SQLite's length(), LIKE and, before 3.43, its trigram tokenizer.
 */

const LONE_SURROGATE = /\p{Surrogate}/gu;
/** Most texts hold no surrogate at all, which is seen faster than that each has its partner. */
const ANY_SURROGATE = /[\ud800-\udfff]/;

/** What a NUL becomes: SYMBOL FOR NULL, so that a reader still sees that one stood there. */
export const VISIBLE_NUL = "\u2400";

/** Lone surrogates become U+FFFD, NULs become U+2400; the length in UTF-16 units stays the same. */
export function wellFormed(text: string): string {
  const paired = ANY_SURROGATE.test(text) ? text.replace(LONE_SURROGATE, "\ufffd") : text;
  return paired.replaceAll("\0", VISIBLE_NUL);
}
