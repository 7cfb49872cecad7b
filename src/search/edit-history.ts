/** Edit history: what is known of a file's other edits: its first one, and copies of one edit that a fork made. */

import type { EditRow } from "../search-index/reader-edits.ts";
import type { SessionRow } from "../search-index/reader-sessions.ts";
import type { AskingTurn } from "./asking-turn.ts";
import type { SearchRun } from "./search-run.ts";
import type { SessionScope } from "./session-scope.ts";

export interface EditOfSession {
  readonly edit: EditRow;
  readonly session: SessionRow;
}

export interface EditHistory {
  /** Of edits that were made at one moment, those that are no copies of others among them. */
  withoutCopies(edits: readonly EditOfSession[]): readonly EditOfSession[];
  /** Whether no older edit of that path is indexed in the scope. */
  isFirst(edit: EditRow): Promise<boolean>;
}

const PAGE = 8;

export function createEditHistory(run: SearchRun, scope: SessionScope, turn: AskingTurn): EditHistory {
  const firstTimes = new Map<string, number | null>();

  /** A fork copies messages under new ids, with their times and words. */
  const isCopy = (edit: EditRow, original: EditRow): boolean =>
    edit.sessionKey !== original.sessionKey &&
    edit.path === original.path &&
    edit.tool === original.tool &&
    edit.editedAt === original.editedAt &&
    edit.messageAt === original.messageAt &&
    run.reader.edits.text(edit.documentId) === run.reader.edits.text(original.documentId);

  const isListed = (edit: EditRow): boolean => {
    if (edit.messageAt >= turn.startIn(edit.sessionKey)) return false;
    const session = run.reader.sessions.byKeys([edit.sessionKey])[0];
    return session !== undefined && scope.includes(session);
  };

  /** The time of the earliest edit in scope. */
  const findFirstTime = async (name: string, path: string): Promise<number | null> => {
    let place: EditRow | null = null;
    for (;;) {
      const page: readonly EditRow[] = run.reader.edits.ofPath(name, path, place, PAGE);
      const first = page.find((edit) => isListed(edit));
      if (first !== undefined) return first.editedAt;
      if (page.length < PAGE) return null;
      place = page.at(-1) ?? null;
      await run.pause();
    }
  };

  return {
    withoutCopies: (edits) =>
      edits.filter(
        ({ edit, session }) =>
          !edits.some((other) => isOlderSession(other.session, session) && isCopy(edit, other.edit)),
      ),
    async isFirst(edit) {
      const known = firstTimes.get(edit.path);
      const first = known === undefined ? await findFirstTime(edit.name, edit.path) : known;
      firstTimes.set(edit.path, first);
      return first === edit.editedAt;
    },
  };
}

function isOlderSession(one: SessionRow, other: SessionRow): boolean {
  return (one.createdAt - other.createdAt || one.key - other.key) < 0;
}
