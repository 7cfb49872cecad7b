import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { EXCERPT_LENGTH, excerptAround } from "../../src/search/excerpt.ts";
import { FoldedWords } from "../../src/search/folded-words.ts";
import { fold } from "../../src/session/fold.ts";
import { PART_SEPARATOR } from "../../src/session/searchable-text.ts";
import { wellFormed } from "../../src/session/well-formed.ts";
import { isFullSize } from "../support/test-size.ts";
import { unicodeText } from "../support/unicode-text.ts";

const LONG = "word ".repeat(100);
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function marked(text: string, word: string): string {
  const {
    text: shown,
    matchStart,
    matchEnd,
    cutBefore,
    cutAfter,
  } = excerptAround(text, new FoldedWords(fold(word)), false);
  const inside = `${shown.slice(0, matchStart)}[${shown.slice(matchStart, matchEnd)}]${shown.slice(matchEnd)}`;
  return `${cutBefore ? "<" : ""}${inside}${cutAfter ? ">" : ""}`;
}

describe("an excerpt", () => {
  test.each([
    ["a short text is shown whole", "Fix the login, please", "login", "Fix the [login], please"],
    ["the first of several places is marked", "go, go", "GO", "[go], go"],
    ["words are marked as they were written", "Le CAFE\u0301 noir", "café", "Le [CAFE\u0301] noir"],
    ["white space in the text may differ from that of the phrase", "one\n\t two", "one two", "[one\n\t two]"],
    ["case 12: words in other scripts", "Скажи ПРИВЕТ миру", "привет", "Скажи [ПРИВЕТ] миру"],
    ["only the part that matched is shown", `a${PART_SEPARATOR}b needle${PART_SEPARATOR}c`, "needle", "b [needle]"],
    ["a match at the very start", "needle", "needle", "[needle]"],
  ])("%s", (_name, text, word, expected) => {
    expect(marked(text, word)).toBe(expected);
  });

  test.each([
    ["in the middle", LONG + "needle " + LONG, true, true],
    ["at the start", "needle " + LONG, false, true],
    ["at the end", LONG + "needle", true, false],
  ])("a long text is cut around a match %s", (_name, text, cutBefore, cutAfter) => {
    const excerpt = excerptAround(text, new FoldedWords("needle"), false);
    expect(excerpt.text.slice(excerpt.matchStart, excerpt.matchEnd)).toBe("needle");
    expect(excerpt.text.length).toBeGreaterThan(EXCERPT_LENGTH - 20);
    expect(excerpt).toMatchObject({ cutBefore, cutAfter });
  });

  test("a later piece of a message says that something stands before it", () => {
    expect(excerptAround("needle", new FoldedWords("needle"), true)).toMatchObject({
      cutBefore: true,
      cutAfter: false,
    });
  });

  test("a phrase longer than an excerpt is shown from its start", () => {
    const phrase = "long phrase ".repeat(40).trim();
    const excerpt = excerptAround(`before ${phrase} after`, new FoldedWords(phrase), false);
    expect(excerpt.text.length).toBeLessThanOrEqual(EXCERPT_LENGTH);
    expect(excerpt.text.slice(excerpt.matchStart)).toBe(phrase.slice(0, excerpt.text.length - excerpt.matchStart));
  });

  test.each([
    ["a plug before the word", "🔌xneedle"],
    ["a robot", "🤖needle🤖"],
    ["a family", "👨\u200d👩\u200d👧needle👨\u200d👩\u200d👧"],
    ["flags", "🇫🇷🇩🇪needle🇫🇷🇩🇪"],
  ])("case 16: %s is never cut in half, wherever the cut falls", (_name, middle) => {
    for (let padding = 0; padding < 40; padding += 1) {
      const text = `${"🤖".repeat(100)}${"x".repeat(padding)}${middle}${"y".repeat(padding)}${"👨\u200d👩\u200d👧".repeat(40)}`;
      expect(cutsOf(text, "needle")).toEqual({ isWellFormed: true, isShort: true, isMarked: true, onBounds: true });
    }
  });

  test("is short, well-formed, marks its word and is cut between graphemes, for any text", () => {
    const texts = fc.tuple(unicodeText(), unicodeText(), fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(texts, ([before, after, times]) => {
        const text = `${wellFormed(`${before} `).repeat(times)}needle${wellFormed(` ${after}`).repeat(times)}`;
        expect(cutsOf(text, "needle")).toEqual({ isWellFormed: true, isShort: true, isMarked: true, onBounds: true });
      }),
      { numRuns: isFullSize() ? 20_000 : 500 },
    );
  });
});

interface Cuts {
  readonly isWellFormed: boolean;
  readonly isShort: boolean;
  readonly isMarked: boolean;
  readonly onBounds: boolean;
}

/** What must be true of every excerpt of a text whose first place of `word` is written just so. */
function cutsOf(text: string, word: string): Cuts {
  const excerpt = excerptAround(text, new FoldedWords(word), false);
  const { text: shown, matchStart, matchEnd } = excerpt;
  const part = text.split(PART_SEPARATOR).find((one) => fold(one).includes(word)) ?? "";
  const start = part.indexOf(word) - matchStart;
  const bounds = new Set([...segmenter.segment(part)].map(({ index }) => index)).add(part.length);
  return {
    isWellFormed: !/\p{Surrogate}/u.test(shown),
    isShort: shown.length <= EXCERPT_LENGTH,
    isMarked: fold(shown.slice(matchStart, matchEnd)) === word,
    onBounds: bounds.has(start) && bounds.has(start + shown.length),
  };
}
