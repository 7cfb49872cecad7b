import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { cutPlace, endWithin, startWithin, utf8Length } from "../../src/session/text-cut.ts";
import { wellFormed } from "../../src/session/well-formed.ts";
import { unicodeText } from "../support/unicode-text.ts";

test.each([
  ["abc", 1, 1],
  ["a🤖b", 2, 1],
  ["и\u0306x", 1, 0],
  ["xи\u0306\u0301x", 3, 1],
  ["👩\u200d💻", 3, 0],
  ["👩\u200d💻", 2, 0],
  ["👍\u{1f3fd}", 2, 0],
  ["abc", 0, 0],
  ["abc", 3, 3],
  [`e${"\u0301".repeat(200)}`, 150, 150],
])("%j wanted cut at %i is cut at %i", (text, index, place) => {
  expect(cutPlace(text, index)).toBe(place);
});

describe("by size in UTF-8 bytes", () => {
  test.each([
    ["abcdef", 0, 4, 4],
    ["abcdef", 3, 4, 6],
    ["ééé", 0, 4, 2],
    ["部署部署", 0, 7, 2],
    ["a🤖🤖", 0, 8, 3],
    ["", 0, 4, 0],
  ])("%j from %i within %i bytes ends at %i", (text, start, bytes, end) => {
    expect(endWithin(text, start, bytes)).toBe(end);
  });

  test.each([
    ["abcdef", 4, 2],
    ["ééé", 4, 1],
    ["部署部署", 7, 2],
    ["a🤖b", 4, 3],
    ["xe\u0301", 2, 3],
    ["abc", 9, 0],
  ])("the end of %j within %i bytes starts at %i", (text, bytes, start) => {
    expect(startWithin(text, bytes)).toBe(start);
  });

  test("pieces fit, advance, and are nearly as large as they may be", () => {
    fc.assert(
      fc.property(unicodeText(), fc.integer({ min: 4, max: 60 }), (raw, bytes) => {
        const text = wellFormed(raw);
        const end = endWithin(text, 0, bytes);
        expect(end > 0 || text === "").toBe(true);
        expect(utf8Length(text.slice(0, end))).toBeLessThanOrEqual(bytes);
        expect(utf8Length(text.slice(startWithin(text, bytes)))).toBeLessThanOrEqual(bytes);
        const whole = utf8Length(text) <= bytes;
        expect(end === text.length).toBe(whole);
        expect(startWithin(text, bytes) === 0).toBe(whole);
      }),
    );
  });
});
