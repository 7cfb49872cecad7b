/** Random queries: trees such as the parser makes, and texts full of the characters it looks at. */

import * as fc from "fast-check";

import type { QueryNode } from "../../src/query/ast.ts";

const PLAIN_WORDS = [
  "alpha",
  "go",
  "x",
  "a",
  "部署",
  "🤖",
  "don't",
  "useState()",
  "f(g(x))",
  "a)b",
  "error:",
  "--x",
  "C:\\x",
];

/** Words that mean themselves wherever they stand. */
function words(): fc.Arbitrary<string> {
  const random = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
    .filter((text) => /^[^\p{Cc}\s"()\-*/“”„«&|][^\p{Cc}\s"()*:]*$/u.test(text) && !/^(?:OR|AND|NOT|NEAR)/u.test(text));
  return fc.oneof(fc.constantFrom(...PLAIN_WORDS), random);
}

/** Texts that can stand between quotes. */
function phrases(): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.constantFrom("two words", "OR", "(x", "-y", "path:z", "x)", " padded "),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    )
    .filter((text) => text.trim() !== "" && !/["\p{Cc}]/u.test(text));
}

function values(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom("src/a.ts", "my file.ts", "app/(shop)/page.tsx", "E:\\x"), words(), phrases()).filter(
    // A value prints without quotes unless it needs them, so it must not look foreign without them.
    (text) => !/[*“”„«]/u.test(text) && !/^(?:OR|AND|NOT|NEAR|role|date|limit|&|\||\/)/u.test(text),
  );
}

function leaves(): fc.Arbitrary<QueryNode> {
  return fc.oneof(
    { weight: 4, arbitrary: words().map((text) => ({ kind: "term", text, quoted: false }) as const) },
    { weight: 2, arbitrary: phrases().map((text) => ({ kind: "term", text, quoted: true }) as const) },
    values().map((path) => ({ kind: "path", path }) as const),
    values().map((text) => ({ kind: "title", text }) as const),
    values().map((tool) => ({ kind: "tool", tool }) as const),
    fc.constantFrom("subagent", "archived", "reverted", "error").map((flag) => ({ kind: "is", flag }) as const),
  );
}

/** Trees in the parser's own form: no AND directly within an AND, no OR directly within an OR, no lists of one. */
export function queryNodes(): fc.Arbitrary<QueryNode> {
  const { node } = fc.letrec<{ node: QueryNode }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaves(),
      tie("node").map((operand) => ({ kind: "not", operand }) as const),
      lists(tie("node"), "and"),
      lists(tie("node"), "or"),
    ),
  }));
  return node;
}

function lists(node: fc.Arbitrary<QueryNode>, kind: "and" | "or"): fc.Arbitrary<QueryNode> {
  const operands = fc.array(
    node.filter((operand) => operand.kind !== kind),
    { minLength: 2, maxLength: 4 },
  );
  return operands.map((list) => ({ kind, operands: list }));
}

/** Texts made of the pieces that queries are made of, in any order. */
export function queryLikeText(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    ...'( ) " - OR AND * / : path: project: title: tool: is: error all a b go 部署 🤖 useState() NEAR( \\ ~ “ \ud83d \0'.split(
      " ",
    ),
    " ",
    " ",
    " ",
    "\t",
  );
  return fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));
}
