import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { passageOf, passageText } from "../../src/render/passage.ts";
import { oneLine } from "../../src/render/quote.ts";
import { replacementsOf } from "../../src/render/replacements.ts";
import { buildExcerpt } from "../support/hits.ts";
import { isFullSize } from "../support/test-size.ts";

const mask = (text: string) => text.replace(/<[^>]*>/gu, "[redacted:key]");

describe("replacements", () => {
  it.each<[string, string, string, readonly (readonly [number, number])[] | null]>([
    ["none", "plain", "plain", []],
    ["one", "a <x> b", "a [redacted:key] b", [[2, 5]]],
    [
      "at both ends",
      "<x> b <yy>",
      "[redacted:key] b [redacted:key]",
      [
        [0, 3],
        [6, 10],
      ],
    ],
    ["all of it", "<x>", "[redacted:key]", [[0, 3]]],
    ["two side by side", "<x><y> b", "[redacted:key][redacted:key] b", [[0, 6]]],
    ["beside words that look like one", "[redacted:key] <x>.", "[redacted:key] [redacted:key].", [[15, 18]]],
    ["something else was changed", "a <x> b", "a [hidden] b", null],
    ["more was changed", "a <x> b c", "A [redacted:key] b c", null],
  ])("are found: %s", (_what, original, masked, expected) => {
    const found = replacementsOf(original, masked);
    expect(found?.map(({ start, end }) => [start, end]) ?? null).toEqual(expected);
  });
});

describe("a passage", () => {
  it.each([
    [
      "its end",
      { text: "find the login with <abc", before: "", after: "def> end" },
      "find the ⟦login⟧ with [redacted:key]",
    ],
    [
      "its beginning",
      { text: "def> find the login", before: "key <abc", after: "" },
      "[redacted:key] find the ⟦login⟧",
    ],
    ["all of it", { text: "def login ghi", before: "<abc", after: "jkl>" }, "[redacted:key]"],
    ["neither end", { text: "a login b", before: "<x> ", after: " <y>" }, "a ⟦login⟧ b"],
  ])("hides a secret that reaches across %s", (_what, { text, before, after }, expected) => {
    const excerpt = buildExcerpt(text, "login", { surroundings: { before, after } });
    expect(passageText(passageOf(excerpt, mask), 300)).toBe(expected);
  });

  it("shows nothing when it cannot tell what was masked", () => {
    const excerpt = buildExcerpt("the login", "login");
    expect(
      passageText(
        passageOf(excerpt, () => "something else"),
        300,
      ),
    ).toBe("[redacted]");
  });

  it("never shows a piece of a secret, and marks the match wherever it can", () => {
    const word = fc.constantFrom("alpha", "beta ", "\n", "[redacted:key]", "é", "👩‍👩‍👧", " ");
    const secret = fc.stringMatching(/^[A-Z]{1,30}$/u).map((inner) => `<${inner}>`);
    const pieces = fc.array(fc.oneof({ weight: 3, arbitrary: word }, secret), { maxLength: 20 });
    const property = fc.property(pieces, fc.nat(), fc.nat(), fc.nat(), fc.nat({ max: 8 }), (list, a, b, at, size) => {
      const whole = list.join("");
      const [start = 0, end = 0] = [a % (whole.length + 1), b % (whole.length + 1)].sort((one, other) => one - other);
      const text = whole.slice(start, end);
      const matchStart = at % (text.length + 1);
      const passage = passageOf(
        {
          text,
          matchStart,
          matchEnd: Math.min(text.length, matchStart + size),
          cutBefore: false,
          cutAfter: false,
          surroundings: { before: whole.slice(0, start), after: whole.slice(end) },
        },
        mask,
      );
      // Secrets alone are in capitals here.
      expect(passage.before + passage.match + passage.after).not.toMatch(/[A-Z<>]/u);
      expect([oneLine(text.slice(matchStart, matchStart + size)), ""]).toContain(passage.match);
    });
    fc.assert(property, { numRuns: isFullSize() ? 20_000 : 500 });
  });

  it.each([
    [40, "…aaaaaaaaaaaaaaaaa⟦needle⟧bbbbbbbbbbbbbbbbb…"],
    [10, "…aa⟦needle⟧bb…"],
    [6, "…⟦needle⟧…"],
    [3, "…⟦nee⟧…"],
  ])("in %i units keeps the match in the middle", (width, expected) => {
    const excerpt = buildExcerpt(`${"a".repeat(50)}needle${"b".repeat(50)}`, "needle");
    expect(passageText(passageOf(excerpt, mask), width)).toBe(expected);
  });

  it.each([
    ["at the beginning", "needle and more", "⟦needle⟧ and m…"],
    ["at the end", "before a needle", "…ore a ⟦needle⟧"],
  ])("gives the room of one side to the other: %s", (_what, text, expected) => {
    expect(passageText(passageOf(buildExcerpt(text, "needle"), mask), 12)).toBe(expected);
  });

  it("never splits a family", () => {
    const excerpt = buildExcerpt(`${"👩‍👩‍👧‍👦".repeat(9)}needle${"👩‍👩‍👧‍👦".repeat(9)}`, "needle");
    for (let width = 6; width < 60; width += 1) {
      const shown = passageText(passageOf(excerpt, mask), width).replaceAll("👩‍👩‍👧‍👦", "F");
      expect(shown).toMatch(/^…?F*⟦needle⟧F*…?$/u);
    }
  });
});
