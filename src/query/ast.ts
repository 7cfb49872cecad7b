/** AST: what a query means, as readonly data. The parser makes it, the planner reads it, the printer shows it. */

/** Words that a session must hold somewhere. `text` is as the person wrote it; folding is the reader's business. */
export interface TermNode {
  readonly kind: "term";
  readonly text: string;
  /** Written in quotes (a phrase), or a single word. Both match as a substring. */
  readonly quoted: boolean;
}

export interface PathNode {
  readonly kind: "path";
  /** Normalised by session/file-path rules at evaluation; kept here as written. */
  readonly path: string;
}

export interface TitleNode {
  readonly kind: "title";
  readonly text: string;
}

export interface ToolNode {
  readonly kind: "tool";
  readonly tool: string;
}

export type SessionFlag = "subagent" | "archived" | "reverted" | "error";

export interface FlagNode {
  readonly kind: "is";
  readonly flag: SessionFlag;
}

export interface NotNode {
  readonly kind: "not";
  readonly operand: QueryNode;
}

export interface AndNode {
  readonly kind: "and";
  readonly operands: readonly QueryNode[];
}

export interface OrNode {
  readonly kind: "or";
  readonly operands: readonly QueryNode[];
}

export type QueryNode = TermNode | PathNode | TitleNode | ToolNode | FlagNode | NotNode | AndNode | OrNode;

/** The value of `project:`; top level only, the last one wins. */
export type ProjectScope =
  | { readonly kind: "current" }
  | { readonly kind: "all" }
  | { readonly kind: "id"; readonly id: string }
  /** As written: absolute, or starting with "~", or relative with a slash. */
  | { readonly kind: "path"; readonly path: string };

export interface Query {
  /** null when the text holds nothing to match (empty, or only `project:`). */
  readonly root: QueryNode | null;
  readonly project: ProjectScope;
  /** One line each: what was taken literally or ignored, and why. Written for the model. */
  readonly notes: readonly string[];
}

/** Half-open range of epoch milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}
