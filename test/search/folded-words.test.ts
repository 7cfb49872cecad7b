import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { FoldedWords } from "../../src/search/folded-words.ts";
import { fold } from "../../src/session/fold.ts";
import { isFullSize } from "../support/test-size.ts";
import { unicodeText } from "../support/unicode-text.ts";

const RUNS = { numRuns: isFullSize() ? 50_000 : 1000 };

/** Mostly ASCII, with what folds differently from it. */
const texts = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string(),
    unicodeText(),
    fc.string({ unit: fc.constantFrom("a", "B", " ", "\n", "\0", "\u2400", "é", "-") }),
  );

describe("words in a text", () => {
  test.each([
    ["ASCII in either case", "Fix The Login", "the log", true],
    ["white space of any kind", "fix\n\tthe login", "fix the", true],
    ["case 10: NUL is a character that can be seen", "abc\0def ghijkl", "ghijkl", true],
    ["case 10: NUL does not join what stands around it", "abc\0def", "abcdef", false],
    ["case 14: an accent, decomposed", "cafe\u0301", "cafe", true],
    ["what is not there", "quick brown fox", "ok", false],
  ])("%s", (_name, text, folded, expected) => {
    expect(new FoldedWords(folded).areIn(text)).toBe(expected);
  });

  test("are found exactly where the folded text has them", () => {
    fc.assert(
      fc.property(texts(), texts(), (text, word) => {
        const folded = fold(word);
        expect(new FoldedWords(folded).areIn(text)).toBe(fold(text).includes(folded));
        expect(new FoldedWords(folded).areIn(`${text}${word}`)).toBe(fold(`${text}${word}`).includes(folded));
      }),
      RUNS,
    );
  });

  test("are located so that the place folds to them", () => {
    fc.assert(
      fc.property(texts(), fc.constantFrom("needle", "two words", "部署", "naïve"), texts(), (before, word, after) => {
        const text = `${before} ${word} ${after}`;
        const folded = fold(word);
        const place = new FoldedWords(folded).placeIn(text);
        expect(fold(text.slice(place?.start, place?.end))).toContain(folded);
      }),
      RUNS,
    );
  });

  test("have no place where they are not", () => {
    expect(new FoldedWords("ok").placeIn("quick brown fox")).toBeNull();
    expect(new FoldedWords("ok").placeIn("быстрый")).toBeNull();
  });
});
