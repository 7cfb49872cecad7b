/** Path note: what `path:` takes, for an answer without hits: a folder or a pattern finds nothing, and looks right. */

import type { QueryNode } from "../query/ast.ts";

const PATH_NOTE =
  'path: takes the end of a file\'s path from a slash on ("auth.ts", "src/auth.ts") or the whole path; no folder, no pattern, and case counts. It knows the files that past sessions edited.';

/** @returns no line when the query asks for no path */
export function pathNotes(root: QueryNode | null): readonly string[] {
  return root !== null && asksForPath(root) ? [PATH_NOTE] : [];
}

/** What is excluded is no reason for finding nothing. */
function asksForPath(node: QueryNode): boolean {
  switch (node.kind) {
    case "path":
      return true;
    case "and":
    case "or":
      return node.operands.some(asksForPath);
    case "not":
    case "term":
    case "title":
    case "tool":
    case "is":
      return false;
  }
}
