/**
 * Plan: a query as the search evaluates it. Its atoms (words, titles, paths, tools, flags) stand in a list, each with
 * whether it is excluded, and its tree refers to them by position, so that what is known of a session is one array.
 */

import type { QueryNode, SessionFlag } from "../query/ast.ts";
import { createTerm, type Term } from "./term.ts";

interface AtomBase {
  /** Stands under a "-": it then counts whatever role and date say. */
  readonly excluded: boolean;
}

export type Atom =
  | (AtomBase & { readonly kind: "term" | "title"; readonly term: Term })
  | (AtomBase & { readonly kind: "path"; readonly path: string })
  | (AtomBase & { readonly kind: "tool"; readonly tool: string })
  | (AtomBase & { readonly kind: "is"; readonly flag: SessionFlag });

export type PlanNode =
  | { readonly kind: "atom"; readonly index: number }
  | { readonly kind: "not"; readonly operand: PlanNode }
  | { readonly kind: "and" | "or"; readonly operands: readonly PlanNode[] };

export interface Plan {
  /** null matches every session. */
  readonly root: PlanNode | null;
  readonly atoms: readonly Atom[];
}

export function createPlan(root: QueryNode | null): Plan {
  const atoms: Atom[] = [];
  const compile = (node: QueryNode, excluded: boolean): PlanNode => {
    switch (node.kind) {
      case "and":
      case "or":
        return { kind: node.kind, operands: node.operands.map((operand) => compile(operand, excluded)) };
      case "not":
        return { kind: "not", operand: compile(node.operand, true) };
      case "term":
      case "title":
        return add({ kind: node.kind, term: createTerm(node.text), excluded });
      case "path":
        return add({ kind: "path", path: node.path, excluded });
      case "tool":
        return add({ kind: "tool", tool: node.tool, excluded });
      case "is":
        return add({ kind: "is", flag: node.flag, excluded });
    }
  };
  const add = (atom: Atom): PlanNode => {
    const known = atoms.findIndex((other) => isSameAtom(other, atom));
    return { kind: "atom", index: known < 0 ? atoms.push(atom) - 1 : known };
  };
  return { root: root === null ? null : compile(root, false), atoms };
}

function isSameAtom(one: Atom, other: Atom): boolean {
  return one.excluded === other.excluded && one.kind === other.kind && atomKey(one) === atomKey(other);
}

function atomKey(atom: Atom): string {
  switch (atom.kind) {
    case "term":
    case "title":
      return atom.term.folded;
    case "path":
      return atom.path;
    case "tool":
      return atom.tool;
    case "is":
      return atom.flag;
  }
}
