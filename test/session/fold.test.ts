import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fold, foldWithOffsets, SENTINEL } from "../../src/session/fold.ts";
import { isFullSize, MANY_CASES } from "../support/test-size.ts";
import { unicodeText } from "../support/unicode-text.ts";

/** What the fold gives for a text. Code points that an editor might change are escaped. */
const FOLDED: readonly (readonly [name: string, text: string, folded: string])[] = [
  ["nothing", "", ""],
  ["ASCII letters", "Hello World-42_x", "hello world-42_x"],
  ["case 12: Cyrillic", "ПРИВЕТ мир", "привет мир"],
  ["Cyrillic й and ё, which are letters of their own", "Йод ЁЖ", "йод ёж"],
  ["Cyrillic й, decomposed", "и\u0306", "й"],
  ["Greek final sigma", "ΟΔΟΣ ὁδός", "οδοσ ὁδόσ"],
  ["Greek that composes only in lower case", "\u03aa\u0301", "\u0390"],
  ["Turkish İ, composed", "İstanbul", "istanbul"],
  ["Turkish İ, decomposed", "I\u0307stanbul", "istanbul"],
  ["dotless ı stays a letter of its own", "ısı", "ısı"],
  ["case 14: é composed", "Caf\u00e9", "cafe"],
  ["case 14: é decomposed", "Cafe\u0301", "cafe"],
  ["German", "Straße ÜBER", "straße uber"],
  ["ẞ, the capital ß", "STRAẞE", "straße"],
  ["Vietnamese, two accents on a letter", "Việt ệ", "viet e"],
  ["letters with a stroke are no accents", "Łódź søster", "łodz søster"],
  ["an accent on another script stays", "ε\u0301", "\u03ad"],
  ["Kelvin and Ångström signs", "\u212a \u212b", "k a"],
  ["full-width letters", "ＡＢＣ１２３！", "abc123!"],
  ["a full-width letter with an accent", "ｅ\u0301", "e"],
  ["CJK", "今天讨论了部署方案", "今天讨论了部署方案"],
  ["half-width katakana stays", "ｶﾞ", "ｶﾞ"],
  ["kana with a voiced mark, decomposed", "か\u3099", "が"],
  ["Hangul, decomposed", "\u1112\u1161\u11ab", "한"],
  ["emoji with a variation selector", "❤\ufe0f!", "❤!"],
  ["emoji without one", "❤!", "❤!"],
  ["a family joined to one emoji", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"],
  ["a selector between a letter and its accent", "e\ufe0f\u0301", "e"],
  ["curly quotes", "“don’t” ‘x’ „y‟ «z»", `"don't" 'x' "y" "z"`],
  ["dashes", "a–b—c‐d‑e−f", "a-b-c-d-e-f"],
  ["runs of white space", "a  b\n\n\tc\r\nd\u00a0\u3000e\u2028f\u0085g", "a b c d e f g"],
  ["white space at the ends", "\n a \n", " a "],
  ["case 10: NUL", "abc\0def", "abc\u2400def"],
  ["lone surrogates", "x\ud83dy\udd0cz", "x\ufffdy\ufffdz"],
  ["a pair beside a lone surrogate", "🔌\ud83d", "🔌\ufffd"],
  ["ligatures stay", "ﬁne", "ﬁne"],
];

describe("fold", () => {
  test.each(FOLDED)("%s", (_name, text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  test("folding twice changes nothing, for every character alone and between others", MANY_CASES, () => {
    const changed: string[] = [];
    for (const character of everyCharacter()) {
      for (const text of [character, `e${character}\u0301`, `${character}\u0308\u0301`]) {
        if (fold(fold(text)) !== fold(text)) changed.push(text);
      }
    }
    expect(changed).toEqual([]);
  });

  test("folding twice changes nothing, for any text", MANY_CASES, () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
      { numRuns: isFullSize() ? 50_000 : 2_000 },
    );
  });

  test("composed and decomposed forms, and both cases, meet", MANY_CASES, () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        expect(fold(text.normalize("NFD"))).toBe(fold(text));
        expect(fold(text.normalize("NFC"))).toBe(fold(text));
        expect(fold(text.toLowerCase())).toBe(fold(text));
      }),
      { numRuns: isFullSize() ? 50_000 : 2_000 },
    );
  });

  test("texts joined at an ordinary letter fold to their joined folds", MANY_CASES, () => {
    fc.assert(
      fc.property(unicodeText(), unicodeText(), (before, after) => {
        expect(fold(`${before}x${after}`)).toBe(fold(before) + fold(`x${after}`));
      }),
      { numRuns: 1_000 },
    );
  });

  test("no folded text holds a capital ASCII letter, so none holds the sentinel", MANY_CASES, () => {
    expect(SENTINEL).toMatch(/^[A-Z]{2}$/u);
    const capitals = everyCharacter().filter((character) => /[A-Z]/u.test(fold(character)));
    expect(capitals).toEqual([]);
  });
});

describe("foldWithOffsets", () => {
  test.each([
    ["the rest of an ASCII text", "say HELLO now", "hello", "HELLO"],
    ["a word behind accents", "cafe\u0301 cre\u0300me HERE", "here", "HERE"],
    ["a word with a decomposed accent at its end", "a cafe\u0301 b", "cafe", "cafe\u0301"],
    ["a word behind collapsed white space", "a \n\n  b   WORD", "word", "WORD"],
    ["words across collapsed white space", "a \n\n  b", "a b", "a \n\n  b"],
    ["an emoji with its selector", "x ❤\ufe0f y", "❤", "❤\ufe0f"],
    ["a word behind an emoji with a selector", "❤\ufe0f❤\ufe0f go", "go", "go"],
    ["a character of two units", "🔌xNEEDLE🔌", "needle", "NEEDLE"],
    ["a CJK word", "今天 讨论了部署方案", "部署", "部署"],
    ["decomposed Hangul", "\u1112\u1161\u11ab글 x", "한글", "\u1112\u1161\u11ab글"],
    ["one character that folds to two", "x\u0958y", "\u0915\u093c", "\u0958"],
    ["half of such a character", "x\u0958y", "\u0915", "\u0958"],
  ])("finds %s", (_name, text, term, found) => {
    const { folded, toOriginal } = foldWithOffsets(text);
    const start = folded.indexOf(term);
    expect(text.slice(toOriginal(start), toOriginal(start + term.length, "end"))).toBe(found);
  });

  test("gives the same fold, offsets in order, and ends at the ends", MANY_CASES, () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        const { folded, toOriginal } = foldWithOffsets(text);
        expect(folded).toBe(fold(text));
        const offsets = Array.from({ length: folded.length + 1 }, (_, index) => toOriginal(index));
        expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
        expect(toOriginal(folded.length, "end")).toBeLessThanOrEqual(text.length);
        expect(fold(text.slice(toOriginal(folded.length, "end")))).toBe("");
      }),
      { numRuns: isFullSize() ? 20_000 : 1_000 },
    );
  });

  test("what it finds in the original folds to what was looked for", MANY_CASES, () => {
    fc.assert(
      fc.property(unicodeText(), unicodeText(), unicodeText(), (before, word, after) => {
        const { folded, toOriginal } = foldWithOffsets(`${before}\nx${word}x\n${after}`);
        const term = fold(`x${word}x`);
        const start = folded.indexOf(term);
        const found = `${before}\nx${word}x\n${after}`.slice(toOriginal(start), toOriginal(start + term.length, "end"));
        expect(start).not.toBe(-1);
        expect(fold(found)).toContain(term);
      }),
      { numRuns: isFullSize() ? 20_000 : 1_000 },
    );
  });

  test("long texts, which are folded block by block, fold and map like short ones", MANY_CASES, () => {
    const longText = fc.array(unicodeText(), { minLength: 20, maxLength: 200 }).map((texts) => texts.join(""));
    fc.assert(
      fc.property(longText, fc.nat(), (text, choice) => {
        const { folded, toOriginal } = foldWithOffsets(`${text}k`);
        expect(folded).toBe(fold(`${text}k`));
        // Whatever stands before a letter, the rest of the text folds to the rest of the fold.
        const places = Array.from(folded.matchAll(/[ikx部]/gu), (match) => match.index);
        const start = places[choice % places.length] ?? 0;
        expect(fold(`${text}k`.slice(toOriginal(start)))).toBe(folded.slice(start));
      }),
      { numRuns: isFullSize() ? 5_000 : 200 },
    );
  });

  test("every character folds the same within a text as alone", MANY_CASES, () => {
    // The offsets rest on it: pieces of the text are folded one by one.
    for (const chunk of chunksOf(everyCharacter(), 512)) {
      const text = chunk.join("中");
      const { folded, toOriginal } = foldWithOffsets(text);
      expect(folded).toBe(chunk.map(fold).join("中"));
      const separators = Array.from(folded.matchAll(/中/gu), ({ index }) => toOriginal(index));
      expect(separators).toEqual(Array.from(text.matchAll(/中/gu), ({ index }) => index));
      expect(toOriginal(folded.length)).toBe(text.length);
    }
  });
});

/** Every assigned code point but private ones and surrogates. */
function everyCharacter(): string[] {
  const characters: string[] = [];
  for (let point = 1; point <= 0x10ffff; point += 1) {
    // Planes 4 to 13 hold nothing; Hangul and CJK are regular and are represented by their beginnings.
    const isSkipped =
      (point >= 0x4_0000 && point < 0xe_0000) ||
      point >= 0xf_0000 ||
      (point >= 0x5000 && point < 0x9f00) ||
      (point >= 0xb000 && point < 0xd700) ||
      (point >= 0x2_0100 && point < 0x2_f800);
    if (isSkipped) continue;
    const character = String.fromCodePoint(point);
    if (/[^\p{Cn}\p{Cs}\p{Co}]/u.test(character)) characters.push(character);
  }
  return characters;
}

function* chunksOf(items: readonly string[], size: number): Generator<string[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
