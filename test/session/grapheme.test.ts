import * as fc from "fast-check";
import { expect, test } from "vitest";

import { cutToGraphemes } from "../../src/session/grapheme.ts";
import { unicodeText } from "../support/unicode-text.ts";

test.each([
  ["abc", 3, "abc"],
  ["abc", 2, "ab"],
  ["abc", 0, ""],
  ["a🤖b", 2, "a"],
  ["a🤖b", 3, "a🤖"],
  ["🤖", 1, ""],
  ["👩\u200d💻x", 5, "👩\u200d💻"],
  ["a👩\u200d💻x", 5, "a"],
  ["a👩\u200d💻x", 4, "a"],
  ["e\u0301e\u0301", 3, "e\u0301"],
  ["❤\ufe0f❤\ufe0f", 3, "❤\ufe0f"],
  ["🇩🇪🇫🇷", 6, "🇩🇪"],
  ["a\r\nb", 2, "a"],
  ["한글", 1, "한"],
  // A single grapheme that does not fit is cut between code points.
  [`e${"\u0301".repeat(9)}`, 4, "e\u0301\u0301\u0301"],
  ["👩\u200d💻", 4, "👩\u200d"],
])("case 16: %j cut to %i units is %j", (text, limit, cut) => {
  expect(cutToGraphemes(text, limit)).toBe(cut);
});

test("a cut text is a beginning of the text, within the limit, and halves no pair", () => {
  fc.assert(
    fc.property(unicodeText(), fc.nat(20), (text, limit) => {
      const cut = cutToGraphemes(text, limit);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(limit);
      expect(text.slice(cut.length - 1, cut.length + 1)).not.toMatch(/^[\ud800-\udbff][\udc00-\udfff]$/);
    }),
  );
});
