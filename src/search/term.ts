/** Term: words of a query as they are looked up: folded, with the trigrams by which the postings know them. */

import { fold } from "../session/fold.ts";
import type { PostingsKey } from "../search-index/reader-postings.ts";
import { FoldedWords } from "./folded-words.ts";

export interface Term {
  /** As the person wrote it. */
  readonly text: string;
  readonly folded: string;
  readonly words: FoldedWords;
}

export function createTerm(text: string): Term {
  const folded = fold(text);
  return { text, folded, words: new FoldedWords(folded) };
}

const TRIGRAM = 3;

/** Letters of English prose and code, the most frequent first. What is not among them is rarer. */
const FREQUENT = " etaoinsrlcdupmhgfybwv.,_-()=k0x1qjz";

/**
 * The ways into the postings for folded words: each alone finds every document that holds them. Those that are likely
 * to be rare come first. Words of one or two characters are the beginning of trigrams; empty ones have no way in.
 */
export function postingsKeys(folded: string): readonly PostingsKey[] {
  const characters = Array.from(folded);
  if (characters.length === 0) return [];
  if (characters.length < TRIGRAM) return [{ kind: "prefix", prefix: folded }];
  const trigrams = new Set<string>();
  for (let index = 0; index + TRIGRAM <= characters.length; index++) {
    trigrams.add(characters.slice(index, index + TRIGRAM).join(""));
  }
  return [...trigrams]
    .map((trigram) => ({ trigram, rarity: expectedRarity(trigram) }))
    .sort((one, other) => other.rarity - one.rarity)
    .map(({ trigram }) => ({ kind: "trigrams", trigrams: [trigram] }));
}

/** A guess, to be checked by counting: higher is rarer. */
function expectedRarity(trigram: string): number {
  let rarity = 0;
  for (const character of trigram) {
    const rank = FREQUENT.indexOf(character);
    rarity += Math.log(rank < 0 ? FREQUENT.length + 1 : rank + 1);
  }
  return rarity;
}
