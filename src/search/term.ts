/** Term: words of a query as they are looked up: folded, with the trigrams by which the postings know them. */

import { fold } from "../session/fold.ts";
import type { PostingsKey } from "../search-index/reader-postings.ts";

export interface Term {
  /** As the person wrote it. */
  readonly text: string;
  readonly folded: string;
}

export function createTerm(text: string): Term {
  return { text, folded: fold(text) };
}

const TRIGRAM = 3;

/**
 * The ways into the postings for a term: each alone finds every document that holds it. A term of one or two
 * characters is the beginning of trigrams; an empty one has no way in.
 */
export function postingsKeys({ folded }: Term): readonly PostingsKey[] {
  const characters = Array.from(folded);
  if (characters.length === 0) return [];
  if (characters.length < TRIGRAM) return [{ kind: "prefix", prefix: folded }];
  const trigrams = new Set<string>();
  for (let index = 0; index + TRIGRAM <= characters.length; index++) {
    trigrams.add(characters.slice(index, index + TRIGRAM).join(""));
  }
  return [...trigrams].map((trigram) => ({ kind: "trigrams", trigrams: [trigram] }));
}
