/**
 * Lexer: query text to tokens. It decides what is syntax and what is text; after it, every parenthesis token has its
 * partner, and whatever could not be syntax is a word.
 */

import { noteForeignSyntax } from "./foreign-syntax.ts";
import type { ParseNotes } from "./parse-notes.ts";

interface TokenPlace {
  /** UTF-16 indices in the query text, half-open, the leading "-" included. */
  readonly start: number;
  readonly end: number;
}

interface Operand extends TokenPlace {
  readonly negated: boolean;
}

export interface WordToken extends Operand {
  readonly kind: "word";
  readonly text: string;
  /** Text that could be mistaken for syntax; it is kept as if it had been quoted. */
  readonly literal: boolean;
}

export interface PhraseToken extends Operand {
  readonly kind: "phrase";
  readonly text: string;
}

export type QualifierName = "path" | "project" | "title" | "tool" | "is";

export interface QualifierToken extends Operand {
  readonly kind: "qualifier";
  readonly name: QualifierName;
  readonly value: string;
}

export interface OpenToken extends Operand {
  readonly kind: "open";
}

export type Token =
  | WordToken
  | PhraseToken
  | QualifierToken
  | OpenToken
  | (TokenPlace & { readonly kind: "close" })
  | (TokenPlace & { readonly kind: "or" });

/** Groups within groups; deeper ones are text. It bounds the recursion of whatever walks the tree. */
const MAX_DEPTH = 32;

const SPACE = /[\s\u0085]+/uy;
const WORD = /[^\s\u0085]+/uy;
/** A "-" before something; `--x`, a lone "-" and "-)" are text. */
const EXCLUSION = /-(?!-|\)*(?:[\s\u0085]|$))/uy;
const QUALIFIERS: readonly QualifierName[] = ["path", "project", "title", "tool", "is"];
/**
 * U+001E separates the parts of a stored message, and stands as U+241E where it was written. A query means the
 * written one.
 */
const SEPARATOR = "\u001e";
const VISIBLE_SEPARATOR = "\u241e";

/** Splits a query into tokens. Takes time in proportion to its length and accepts any text. */
export function tokenise(query: string, notes: ParseNotes): Token[] {
  return new Lexer(query.replaceAll(SEPARATOR, VISIBLE_SEPARATOR), notes).run();
}

class Lexer {
  readonly #text: string;
  readonly #notes: ParseNotes;
  readonly #tokens: Token[] = [];
  /** Positions in #tokens of groups that are still open. */
  readonly #open: number[] = [];
  #at = 0;

  constructor(text: string, notes: ParseNotes) {
    this.#text = text;
    this.#notes = notes;
  }

  run(): Token[] {
    for (;;) {
      this.#at += this.#match(SPACE)?.[0].length ?? 0;
      if (this.#at >= this.#text.length) break;
      this.#operand();
    }
    this.#resolveUnclosed();
    return this.#tokens;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #operand(): void {
    const start = this.#at;
    const negated = this.#match(EXCLUSION) !== null;
    if (negated) this.#at += 1;
    if (this.#group(start, negated)) return;
    const phrase = this.#quoted();
    if (phrase !== null) this.#tokens.push({ kind: "phrase", text: phrase, negated, start, end: this.#at });
    else if (!this.#qualifier(start, negated)) this.#word(start, negated);
  }

  #group(start: number, negated: boolean): boolean {
    if (this.#text[this.#at] !== "(") return false;
    if (this.#open.length >= MAX_DEPTH) {
      this.#notes.tookLiterally("(", "depth");
      return false;
    }
    this.#at += 1;
    this.#open.push(this.#tokens.length);
    this.#tokens.push({ kind: "open", negated, start, end: this.#at });
    return true;
  }

  /** The text between two quotes from here on; null where no quote begins, or none ends. */
  #quoted(): string | null {
    if (this.#text[this.#at] !== '"') return null;
    const close = this.#text.indexOf('"', this.#at + 1);
    if (close === -1) return null;
    const content = this.#text.slice(this.#at + 1, close);
    this.#at = close + 1;
    return content;
  }

  #qualifier(start: number, negated: boolean): boolean {
    const nameStart = this.#at;
    const name = QUALIFIERS.find((known) => this.#text.startsWith(`${known}:`, nameStart));
    if (name === undefined) return false;
    this.#at += `${name}:`.length;
    const quoted = this.#quoted();
    const { text: value, closers } = quoted === null ? this.#takeWord() : { text: quoted, closers: 0 };
    if (value.trim() !== "") {
      if (quoted === null) noteForeignSyntax(value, name === "title", this.#notes);
      this.#tokens.push({ kind: "qualifier", name, value, negated, start, end: this.#at });
    } else {
      const text = this.#text.slice(nameStart, this.#at);
      this.#notes.tookLiterally(text, "emptyValue");
      this.#tokens.push({ kind: "word", text, literal: false, negated, start, end: this.#at });
    }
    this.#close(closers);
    return true;
  }

  #word(start: number, negated: boolean): void {
    const { text, closers } = this.#takeWord();
    if (text === "OR" && !negated) this.#tokens.push({ kind: "or", start, end: this.#at });
    else if (text !== "") this.#pushWord(text, start, negated);
    this.#close(closers);
  }

  #pushWord(text: string, start: number, negated: boolean): void {
    noteForeignSyntax(text, true, this.#notes);
    const literal = loneClosersAtEnd(text) > 0;
    if (literal) this.#notes.tookLiterally(text, "parenthesis");
    this.#tokens.push({ kind: "word", text, literal, negated, start, end: this.#at });
  }

  /** Takes the rest of the token, without the parentheses at its end that close an open group. */
  #takeWord(): { readonly text: string; readonly closers: number } {
    const word = this.#match(WORD)?.[0] ?? "";
    const closers = this.#open.length > 0 ? loneClosersAtEnd(word) : 0;
    const text = word.slice(0, word.length - closers);
    this.#at += text.length;
    return { text, closers };
  }

  #close(closers: number): void {
    for (let left = closers; left > 0; left -= 1) {
      const start = this.#at;
      if (this.#open.pop() === undefined) {
        this.#at += left;
        this.#pushWord(")".repeat(left), start, false);
        return;
      }
      this.#at += 1;
      this.#tokens.push({ kind: "close", start, end: this.#at });
    }
  }

  /** Makes text of each "(" that nothing closed: one word with the word that follows it at once. */
  #resolveUnclosed(): void {
    for (const index of this.#open.toReversed()) {
      const open = this.#tokens[index];
      const next = this.#tokens[index + 1];
      if (open?.kind !== "open") continue;
      const isJoined =
        next?.start === open.end && (next.kind === "word" || next.kind === "qualifier" || next.kind === "or");
      const end = isJoined ? next.end : open.end;
      const text = this.#text.slice(open.negated ? open.start + 1 : open.start, end);
      this.#notes.tookLiterally(text, "parenthesis");
      const word: WordToken = { kind: "word", text, literal: true, negated: open.negated, start: open.start, end };
      this.#tokens.splice(index, isJoined ? 2 : 1, word);
    }
  }
}

/** How many ")" at the end of a word have no "(" within it: 1 in `bar)`, 0 in `useState()`, 1 in `useState())`. */
function loneClosersAtEnd(word: string): number {
  let depth = 0;
  let lone = 0;
  for (const character of word) {
    if (character === ")" && depth === 0) lone += 1;
    else if (character === ")") depth -= 1;
    else {
      lone = 0;
      if (character === "(") depth += 1;
    }
  }
  return lone;
}
