/** The reference's fold, pinned by a table of its own, so that reference and product cannot be wrong together. */

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fold } from "../../src/session/fold.ts";
import { referenceFold } from "../support/reference-fold.ts";
import { isFullSize } from "../support/test-size.ts";
import { unicodeText } from "../support/unicode-text.ts";

describe("the reference fold", () => {
  test.each([
    ["ПРИВЕТ", "привет"],
    ["ΟΔΟΣ οδός", "οδοσ οδόσ"],
    ["İstanbul ISI", "istanbul isi"],
    ["caf\u00e9", "cafe"],
    ["cafe\u0301", "cafe"],
    ["и\u0306", "\u0439"],
    ["ＡＢＣ１！", "abc1!"],
    ["🤖\ufe0f", "🤖"],
    ["a\0b", "a\u2400b"],
    ["x\ud83d", "x\ufffd"],
    ["“don’t”", `"don't"`],
    ["a–b−c", "a-b-c"],
    ["a \n\t\u00a0\u3000b", "a b"],
  ])("%j is %j", (text, expected) => {
    expect(referenceFold(text)).toBe(expected);
  });

  test("agrees with the product's on any text", () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        expect(referenceFold(text)).toBe(fold(text));
      }),
      { numRuns: isFullSize() ? 50_000 : 1000 },
    );
  });
});
