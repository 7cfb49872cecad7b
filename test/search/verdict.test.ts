import { describe, expect, test } from "vitest";

import { createPlan } from "../../src/search/plan.ts";
import { boundSessions, matchVerdict, type Verdict, wordVerdict } from "../../src/search/verdict.ts";
import { parseQuery } from "../../src/query/parser.ts";

describe("a verdict", () => {
  test.each<[query: string, known: readonly Verdict[], matches: Verdict, byWord: Verdict]>([
    ["a b", [true, true], true, true],
    ["a b", [true, null], null, null],
    ["a b", [null, false], false, false],
    ["a OR b", [null, true], true, true],
    ["a OR b", [false, null], null, null],
    ["-a", [false], true, false],
    ["-a", [null], null, false],
    ["a -b", [true, false], true, true],
    ["a -b", [true, true], false, false],
    ["is:error", [true], true, false],
    ["is:error a", [true, true], true, true],
    ["is:error OR a", [true, false], true, false],
    ["is:error OR title:a", [true, true], true, true],
    ["", [], true, false],
  ])("of %j, knowing %j, is %j, and %j by words", (query, known, matches, byWord) => {
    const plan = createPlan(parseQuery(query).root);
    expect(matchVerdict(plan, known)).toBe(matches);
    expect(wordVerdict(plan, known)).toBe(byWord);
  });
});

describe("the sessions that can match", () => {
  const sets = [new Set([1, 2]), new Set([2, 3]), null];
  test.each<[query: string, sessions: readonly number[] | null]>([
    ["a", [1, 2]],
    ["a b", [2]],
    ["a OR b", [1, 2, 3]],
    ["a b c", [2]],
    ["a OR b OR c", null],
    ["-a", null],
    ["-a b", [2, 3]],
    ["(a OR c) b", [2, 3]],
  ])("%j", (query, expected) => {
    const { root, atoms } = createPlan(parseQuery(query).root);
    if (root === null) throw new Error(`${query} has nothing to match.`);
    const ofAtom = (index: number): ReadonlySet<number> | null => {
      const atom = atoms[index];
      return (atom?.kind === "term" ? sets["abc".indexOf(atom.term.folded)] : null) ?? null;
    };
    const found = boundSessions(root, ofAtom);
    expect(found === null ? null : [...found].toSorted((one, other) => one - other)).toEqual(expected);
  });
});
