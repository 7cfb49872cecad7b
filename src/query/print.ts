/** Print: an AST as query text, the form that notes, logs and tests share. Parsing it gives the same AST. */

import type { QueryNode } from "./ast.ts";

/**
 * Prints a node. Texts that no query can hold (a double quote within a phrase) are printed as they are.
 */
export function printQuery(node: QueryNode): string {
  switch (node.kind) {
    case "term":
      return node.quoted ? `"${node.text}"` : node.text;
    case "path":
      return `path:${printValue(node.path)}`;
    case "title":
      return `title:${printValue(node.text)}`;
    case "tool":
      return `tool:${printValue(node.tool)}`;
    case "is":
      return `is:${node.flag}`;
    case "not":
      return `-${printExcluded(node.operand)}`;
    case "and":
      return node.operands.map(printFactor).join(" ");
    case "or":
      return node.operands.map(printAlternative).join(" OR ");
  }
}

function printValue(value: string): string {
  return /[\s\u0085()]/u.test(value) && !value.includes('"') ? `"${value}"` : value;
}

function printExcluded(node: QueryNode): string {
  const isGroup = node.kind === "and" || node.kind === "or" || node.kind === "not";
  // `--x` is text, so a word that begins with "-" needs the parentheses too.
  const isDashed = node.kind === "term" && !node.quoted && node.text.startsWith("-");
  return isGroup || isDashed ? `(${printQuery(node)})` : printQuery(node);
}

function printFactor(node: QueryNode): string {
  return node.kind === "or" || node.kind === "and" ? `(${printQuery(node)})` : printQuery(node);
}

function printAlternative(node: QueryNode): string {
  return node.kind === "or" ? `(${printQuery(node)})` : printQuery(node);
}
