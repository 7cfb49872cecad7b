/** Session facts: what a query asks of a session besides words: edited files, called tools, flags. */

import type { SessionFlag } from "../query/ast.ts";
import { fold } from "../session/fold.ts";
import type { EditPlace } from "../search-index/reader-edits.ts";
import { ALL_TIME } from "../search-index/reader-documents.ts";
import type { SessionRow } from "../search-index/reader-sessions.ts";
import type { AskingTurn } from "./asking-turn.ts";
import type { FileSystem } from "./file-system.ts";
import { createPathMatcher, type PathMatcher } from "./path-matcher.ts";
import type { Plan } from "./plan.ts";
import type { SearchRun } from "./search-run.ts";

export interface SessionFacts {
  /** Whether a path, tool or flag atom holds. What happened in the asking turn does not count. */
  holds(atomIndex: number, session: SessionRow): boolean;
  /** The sessions for which a path atom holds; null for other atoms. */
  sessions(atomIndex: number): ReadonlySet<number> | null;
  /** The matcher of a path atom; null for other atoms. */
  readonly matcher: (atomIndex: number) => PathMatcher | null;
}

/**
 * @param editRange times within which an edit counts for a path that is not excluded
 */
export async function gatherFacts(
  run: SearchRun,
  plan: Plan,
  turn: AskingTurn,
  editRange: { readonly from: number; readonly to: number },
  files: FileSystem,
): Promise<SessionFacts> {
  const matchers = new Map<number, PathMatcher>();
  const edited = new Map<number, ReadonlySet<number>>();
  const tools = new Map<number, readonly string[]>();
  for (const [index, atom] of plan.atoms.entries()) {
    if (atom.kind === "path") {
      const matcher = await createPathMatcher(atom.path, files);
      matchers.set(index, matcher);
      edited.set(index, await sessionsThatEdited(run, matcher, turn, atom.excluded ? ALL_TIME : editRange));
    }
    if (atom.kind === "tool") tools.set(index, await toolsNamed(run, fold(atom.tool)));
  }
  return {
    holds(index, session) {
      const atom = plan.atoms[index];
      if (atom?.kind === "is") return hasFlag(run, session, atom.flag, turn);
      if (atom?.kind === "path") return edited.get(index)?.has(session.key) ?? false;
      const start = turn.startIn(session.key);
      return (tools.get(index) ?? []).some((tool) => run.reader.edits.calledTool(tool, session.key, start));
    },
    sessions: (index) => edited.get(index) ?? null,
    matcher: (index) => matchers.get(index) ?? null,
  };
}

function hasFlag(run: SearchRun, session: SessionRow, flag: SessionFlag, turn: AskingTurn): boolean {
  switch (flag) {
    case "subagent":
      return session.parentId !== null;
    case "archived":
      return session.archivedAt !== null;
    case "reverted":
      return session.revertMessageId !== null;
    case "error":
      return session.hasError || run.reader.documents.hasError(session.key, turn.startIn(session.key));
  }
}

const PAGE = 128;

async function sessionsThatEdited(
  run: SearchRun,
  matcher: PathMatcher,
  turn: AskingTurn,
  range: { readonly from: number; readonly to: number },
): Promise<ReadonlySet<number>> {
  const sessions = new Set<number>();
  for (const name of matcher.names) {
    let place: EditPlace | null = null;
    for (;;) {
      const page = run.reader.edits.newest({ name, sessionKey: null }, range, place, PAGE);
      for (const edit of page) {
        if (sessions.has(edit.sessionKey) || edit.messageAt >= turn.startIn(edit.sessionKey)) continue;
        if (await matcher.matches(edit.path)) sessions.add(edit.sessionKey);
      }
      place = page.at(-1) ?? null;
      if (page.length < PAGE) break;
      await run.pause();
    }
  }
  return sessions;
}

/** Tool names as stored that fold to the one asked for: agents write them in either case. */
async function toolsNamed(run: SearchRun, folded: string): Promise<readonly string[]> {
  const tools: string[] = [];
  for (let tool = run.reader.edits.nextTool(null); tool !== null; tool = run.reader.edits.nextTool(tool)) {
    if (fold(tool) === folded) tools.push(tool);
    await run.pause();
  }
  return tools;
}
