/** Folded words: whether a text, folded, holds them, and where. What every hit is verified by. */

import { fold, foldWithOffsets } from "../session/fold.ts";

/** Where words stand in a text: UTF-16 units of the text as it is written, half-open. */
export interface WordPlace {
  readonly start: number;
  readonly end: number;
}

/** Words that fold as ASCII texts do: only case and white space change. */
const PLAIN = /^[ -~]*$/u;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/gu;
const SPACE = /^\s$/u;

export class FoldedWords {
  readonly folded: string;
  /** Finds them in lower-cased ASCII text, which need not be folded then; null when they are not plain. */
  readonly #plain: RegExp | null;
  readonly #words: readonly string[];
  /** Position of the longest word: it is looked for first, since of long words a look passes over most of a text. */
  readonly #longest: number;

  /** @param folded as `fold` gives them */
  constructor(folded: string) {
    this.folded = folded;
    this.#words = folded.split(" ");
    const patterns = this.#words.map((word) => word.replace(SYNTAX, String.raw`\$&`));
    this.#plain = PLAIN.test(folded) ? new RegExp(patterns.join(String.raw`\s+`), "u") : null;
    this.#longest = this.#words.reduce(
      (best, word, at) => (word.length > (this.#words[best]?.length ?? 0) ? at : best),
      0,
    );
  }

  /** Same as `fold(text).includes(folded)`, without folding most texts. */
  areIn(text: string): boolean {
    if (this.#plain === null || !isAscii(text)) return fold(text).includes(this.folded);
    const lower = text.toLowerCase();
    const longest = this.#words[this.#longest] ?? "";
    if (this.#words.length === 1 || longest === "") return this.#plain.test(lower);
    for (let at = lower.indexOf(longest); at >= 0; at = lower.indexOf(longest, at + 1)) {
      if (this.#standAround(lower, at)) return true;
    }
    return false;
  }

  /** Whether the other words stand before and after the longest one, which is at `at`. */
  #standAround(lower: string, at: number): boolean {
    let start = at;
    for (const word of this.#words.slice(0, this.#longest).reverse()) {
      const end = beforeSpace(lower, start);
      if (end === start || !lower.endsWith(word, end)) return false;
      start = end - word.length;
    }
    let end = at + (this.#words[this.#longest]?.length ?? 0);
    for (const word of this.#words.slice(this.#longest + 1)) {
      const next = afterSpace(lower, end);
      if (next === end || !lower.startsWith(word, next)) return false;
      end = next + word.length;
    }
    return true;
  }

  /** Their first place in a text; null when they are not in it. */
  placeIn(text: string): WordPlace | null {
    if (this.#plain !== null && isAscii(text)) {
      const match = this.#plain.exec(text.toLowerCase());
      return match === null ? null : { start: match.index, end: match.index + match[0].length };
    }
    const { folded, toOriginal } = foldWithOffsets(text);
    const start = folded.indexOf(this.folded);
    if (start < 0) return null;
    return { start: toOriginal(start, "start"), end: toOriginal(start + this.folded.length, "end") };
  }
}

/** Only ASCII takes one byte in UTF-8. The runtime counts them faster than an expression looks for others. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function beforeSpace(text: string, index: number): number {
  let start = index;
  while (start > 0 && SPACE.test(text.charAt(start - 1))) start -= 1;
  return start;
}

function afterSpace(text: string, index: number): number {
  let end = index;
  while (SPACE.test(text.charAt(end))) end += 1;
  return end;
}
