/** Folded words: whether a text, folded, holds them, and where. What every hit is verified by. */

import { fold, foldWithOffsets } from "../session/fold.ts";

/** Where words stand in a text: UTF-16 units of the text as it is written, half-open. */
export interface WordPlace {
  readonly start: number;
  readonly end: number;
}

/** Words that fold as ASCII texts do: only case and white space change. */
const PLAIN = /^[ -~]*$/u;
const NOT_ASCII = /\P{ASCII}/u;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/gu;

export class FoldedWords {
  readonly folded: string;
  /** Finds them in lower-cased ASCII text, which need not be folded then; null when they are not plain. */
  readonly #plain: RegExp | null;

  /** @param folded as `fold` gives them */
  constructor(folded: string) {
    this.folded = folded;
    const words = folded.split(" ").map((word) => word.replace(SYNTAX, String.raw`\$&`));
    this.#plain = PLAIN.test(folded) ? new RegExp(words.join(String.raw`\s+`), "u") : null;
  }

  /** Same as `fold(text).includes(folded)`, without folding most texts. */
  areIn(text: string): boolean {
    if (this.#plain !== null && !NOT_ASCII.test(text)) return this.#plain.test(text.toLowerCase());
    return fold(text).includes(this.folded);
  }

  /** Their first place in a text; null when they are not in it. */
  placeIn(text: string): WordPlace | null {
    if (this.#plain !== null && !NOT_ASCII.test(text)) {
      const match = this.#plain.exec(text.toLowerCase());
      return match === null ? null : { start: match.index, end: match.index + match[0].length };
    }
    const { folded, toOriginal } = foldWithOffsets(text);
    const start = folded.indexOf(this.folded);
    if (start < 0) return null;
    return { start: toOriginal(start, "start"), end: toOriginal(start + this.folded.length, "end") };
  }
}
