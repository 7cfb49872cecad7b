/**
 * Parser: tokens to a query. It accepts every text: what is not well-formed means itself, and a note says so.
 *
 *   query := or ; or := and ("OR" and)* ; and := unary+ ; unary := "-" atom | atom
 *   atom  := "(" or ")" | phrase | qualifier | word
 */

import type { AndNode, NotNode, OrNode, ProjectScope, Query, QueryNode, SessionFlag, TermNode } from "./ast.ts";
import { type QualifierToken, type Token, tokenise, type WordToken } from "./lexer.ts";
import { ParseNotes, shownText } from "./parse-notes.ts";

const FLAGS: readonly SessionFlag[] = ["subagent", "archived", "reverted", "error"];

/**
 * Parses a query. Never throws.
 *
 * `project:` sets the scope of the whole query wherever it stands outside parentheses, also beside OR; inside
 * parentheses or behind "-" it is left out with a note. A qualifier without a value and an unknown `is:` are text.
 */
export function parseQuery(text: string): Query {
  const notes = new ParseNotes();
  const parser = new Parser(tokenise(text, notes), notes);
  const root = parser.parse();
  return { root, project: parser.project, notes: notes.lines() };
}

class Parser {
  project: ProjectScope = { kind: "current" };
  readonly #tokens: readonly Token[];
  readonly #notes: ParseNotes;
  #position = 0;
  #depth = 0;
  #projectToken: QualifierToken | null = null;

  constructor(tokens: readonly Token[], notes: ParseNotes) {
    this.#tokens = tokens;
    this.#notes = notes;
  }

  parse(): QueryNode | null {
    return this.#alternatives();
  }

  #alternatives(): QueryNode | null {
    const operands: QueryNode[] = [];
    do {
      append(operands, this.#conjunction(), "or");
    } while (this.#takeOr());
    return joined("or", operands);
  }

  /** Takes an OR. The left side was read before; an OR without a right side is read as a word instead. */
  #takeOr(): boolean {
    if (this.#tokens[this.#position]?.kind !== "or") return false;
    this.#position += 1;
    return true;
  }

  #conjunction(): QueryNode | null {
    const operands: QueryNode[] = [];
    for (let count = 0; ; count += 1) {
      const token = this.#tokens[this.#position];
      if (token === undefined || token.kind === "close" || (token.kind === "or" && count > 0 && this.#hasRightSide())) {
        return joined("and", operands);
      }
      this.#position += 1;
      append(operands, this.#operand(token), "and");
    }
  }

  #hasRightSide(): boolean {
    const next = this.#tokens[this.#position + 1];
    return next !== undefined && next.kind !== "close";
  }

  /** @returns null for what was left out: an empty phrase, `project:`, a group of nothing else */
  #operand(token: Exclude<Token, { kind: "close" }>): QueryNode | null {
    if (token.kind === "or") {
      this.#notes.tookLiterally("OR", "or");
      return literalTerm("OR");
    }
    const atom = this.#atom(token);
    return atom !== null && token.negated ? ({ kind: "not", operand: atom } satisfies NotNode) : atom;
  }

  #atom(token: Exclude<Token, { kind: "close" | "or" }>): QueryNode | null {
    switch (token.kind) {
      case "open":
        return this.#group();
      case "phrase":
        if (token.text.trim() !== "") return { kind: "term", text: token.text, quoted: true };
        this.#notes.ignored("An empty phrase was ignored.");
        return null;
      case "word":
        return wordTerm(token);
      case "qualifier":
        return this.#qualifier(token);
    }
  }

  #group(): QueryNode | null {
    if (this.#tokens[this.#position]?.kind === "close") {
      this.#position += 1;
      this.#notes.tookLiterally("()", "parenthesis");
      return literalTerm("()");
    }
    this.#depth += 1;
    const content = this.#alternatives();
    this.#depth -= 1;
    this.#position += 1;
    return content;
  }

  #qualifier(token: QualifierToken): QueryNode | null {
    switch (token.name) {
      case "path":
        return { kind: "path", path: token.value };
      case "title":
        return { kind: "title", text: token.value };
      case "tool":
        return { kind: "tool", tool: token.value };
      case "is":
        return this.#flag(token);
      case "project":
        this.#scope(token);
        return null;
    }
  }

  #flag(token: QualifierToken): QueryNode {
    const flag = FLAGS.find((known) => known === token.value);
    if (flag !== undefined) return { kind: "is", flag };
    const text = `is:${token.value}`;
    this.#notes.tookLiterally(text, "flag");
    return literalTerm(text);
  }

  #scope(token: QualifierToken): void {
    const written = shownText(`project:${token.value}`);
    if (this.#depth > 0 || token.negated) {
      const place = token.negated ? 'behind "-"' : "inside parentheses";
      this.#notes.ignored(
        `${written} was ignored: project: sets the scope of the whole query and has no meaning ${place}.`,
      );
      return;
    }
    if (this.#projectToken !== null)
      this.#notes.ignored(`Several project: were given; the last one, ${written}, counts.`);
    this.#projectToken = token;
    this.project = projectScope(token.value);
  }
}

/** Adds a node to a list, or its operands when it is such a list itself: "(a b) c" is "a b c". */
function append(operands: QueryNode[], node: QueryNode | null, kind: "and" | "or"): void {
  if (node === null) return;
  if (node.kind !== kind) operands.push(node);
  else for (const operand of node.operands) operands.push(operand);
}

function joined(kind: "and" | "or", operands: readonly QueryNode[]): QueryNode | null {
  if (operands.length < 2) return operands[0] ?? null;
  return kind === "and" ? ({ kind, operands } satisfies AndNode) : ({ kind, operands } satisfies OrNode);
}

function wordTerm(token: WordToken): TermNode {
  return token.literal ? literalTerm(token.text) : { kind: "term", text: token.text, quoted: false };
}

/** A term that must be printed in quotes to mean the same again; one that holds a quote cannot be. */
function literalTerm(text: string): TermNode {
  return { kind: "term", text, quoted: !text.includes('"') };
}

function projectScope(value: string): ProjectScope {
  if (value === "all") return { kind: "all" };
  return /[/\\]|^~/u.test(value) ? { kind: "path", path: value } : { kind: "id", id: value };
}
