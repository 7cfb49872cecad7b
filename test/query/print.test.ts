import { expect, test } from "vitest";

import type { QueryNode } from "../../src/query/ast.ts";
import { printQuery } from "../../src/query/print.ts";

const A: QueryNode = { kind: "term", text: "a", quoted: false };
const B: QueryNode = { kind: "term", text: "b b", quoted: true };
const AND: QueryNode = { kind: "and", operands: [A, B] };
const OR: QueryNode = { kind: "or", operands: [A, B] };

const PRINTED: readonly (readonly [string, QueryNode])[] = [
  ["a", A],
  ['"b b"', B],
  ["path:src/a.ts", { kind: "path", path: "src/a.ts" }],
  ['path:"my file.ts"', { kind: "path", path: "my file.ts" }],
  ['title:"f(x)"', { kind: "title", text: "f(x)" }],
  ["tool:bash", { kind: "tool", tool: "bash" }],
  ["is:subagent", { kind: "is", flag: "subagent" }],
  ["-a", { kind: "not", operand: A }],
  ["-(-a)", { kind: "not", operand: { kind: "not", operand: A } }],
  ["-(--x)", { kind: "not", operand: { kind: "term", text: "--x", quoted: false } }],
  ['a "b b"', AND],
  ['a OR "b b"', OR],
  ['-(a "b b")', { kind: "not", operand: AND }],
  ['(a OR "b b") a', { kind: "and", operands: [OR, A] }],
  ['a "b b" OR a', { kind: "or", operands: [AND, A] }],
  // Trees that the parser would have made flat still show how they are built.
  ['(a "b b") a', { kind: "and", operands: [AND, A] }],
  ['(a OR "b b") OR a', { kind: "or", operands: [OR, A] }],
  // No query means these texts; logs and notes show them all the same.
  ['"say "x""', { kind: "term", text: 'say "x"', quoted: true }],
  ['path:a "b', { kind: "path", path: 'a "b' }],
];

test.each(PRINTED)("%s", (printed, node) => {
  expect(printQuery(node)).toBe(printed);
});
