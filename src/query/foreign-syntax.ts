/** Foreign syntax: what other search tools understand and this language takes as text, which is worth a line. */

import type { LiteralReason, ParseNotes } from "./parse-notes.ts";

const FOREIGN: readonly (readonly [LiteralReason, RegExp])[] = [
  ["curlyQuote", /^[“”„«]/u],
  ["operator", /^(?:AND|NOT|NEAR|NEAR\(.*|&&|\|\|?)$/u],
  ["toolInput", /^(?:role|date|limit):/u],
  [
    "qualifier",
    /^(?:after|agent|author|before|content|dir|ext|file|filename|from|in|lang|language|model|repo|session|since|sort|type|until|user):(?!\/\/)./u,
  ],
  ["regex", /^\/.*[*+?[\]{}|^$\\()].*\/[a-z]*$/u],
  ["wildcard", /\*/u],
];

/**
 * Notes that a word is text where somebody may have meant more. Code such as `std::vec` or `a/b` is left alone.
 * @param isPart whether the word is looked for as a part of longer ones
 */
export function noteForeignSyntax(word: string, isPart: boolean, notes: ParseNotes): void {
  if (hasOddQuotes(word)) notes.tookLiterally(word, "quote");
  const found = FOREIGN.find(([, pattern]) => pattern.test(word));
  if (found === undefined) return;
  const [reason] = found;
  notes.tookLiterally(word, reason === "wildcard" && !isPart ? "valueWildcard" : reason);
}

function hasOddQuotes(word: string): boolean {
  return word.split('"').length % 2 === 0;
}
