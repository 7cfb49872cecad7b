/**
 * Edit selection: which edits of a matching session answer a query. `path:` asks for the edits of that file; a query,
 * or the branch of an OR that holds, without `path:` asks for every file edited in the session. Exclusions decide
 * about whole sessions only.
 */

import type { PathMatcher } from "./path-matcher.ts";
import type { Plan, PlanNode } from "./plan.ts";
import { evaluate, type Verdict } from "./verdict.ts";

/** The path atoms whose edits are asked for, by position; null asks for every edit. */
export type SelectedPaths = ReadonlySet<number> | null;

/** @param known what is known of a session that matches: every atom that is not excluded must be decided */
export function selectPaths({ root, atoms }: Plan, known: readonly Verdict[]): SelectedPaths {
  const select = (node: PlanNode): SelectedPaths => {
    switch (node.kind) {
      case "atom":
        return atoms[node.index]?.kind === "path" ? new Set([node.index]) : null;
      case "not":
        return null;
      case "and": {
        const selected = node.operands.map(select).filter((paths) => paths !== null);
        return selected.length === 0 ? null : union(selected);
      }
      case "or": {
        const selected = node.operands.filter((operand) => evaluate(operand, known) === true).map(select);
        return selected.includes(null) ? null : union(selected.filter((paths) => paths !== null));
      }
    }
  };
  return root === null ? null : select(root);
}

/** Path atoms, so that every answer is an edit of one of them; null when an edit of any file can answer. */
export function requiredPaths({ root, atoms }: Plan): ReadonlySet<number> | null {
  const pathsIn = (node: PlanNode): ReadonlySet<number> => {
    if (node.kind === "atom") return new Set(atoms[node.index]?.kind === "path" ? [node.index] : []);
    return node.kind === "not" ? new Set() : union(node.operands.map(pathsIn));
  };
  const require = (node: PlanNode): ReadonlySet<number> | null => {
    switch (node.kind) {
      case "atom":
        return atoms[node.index]?.kind === "path" ? new Set([node.index]) : null;
      case "not":
        return null;
      case "and": {
        // Where one operand asks for certain files, others may ask for more files, but not for any.
        return node.operands.some((operand) => require(operand) !== null) ? pathsIn(node) : null;
      }
      case "or": {
        const required = node.operands.map(require);
        return required.includes(null) ? null : union(required.filter((paths) => paths !== null));
      }
    }
  };
  return root === null ? null : require(root);
}

/** Whether an edit of that path is asked for. */
export async function isSelected(
  path: string,
  selected: SelectedPaths,
  matcher: (atomIndex: number) => PathMatcher | null,
): Promise<boolean> {
  if (selected === null) return true;
  for (const index of selected) if (await matcher(index)?.matches(path)) return true;
  return false;
}

function union(sets: readonly ReadonlySet<number>[]): ReadonlySet<number> {
  return new Set(sets.flatMap((set) => [...set]));
}
