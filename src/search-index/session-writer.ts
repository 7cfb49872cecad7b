/** Session writer: rows of `sessions`, tombstones among them. Every method runs inside a transaction of the caller. */

import { sessionFingerprint } from "../session/fingerprint.ts";
import type { Session } from "../session/session.ts";
import { wellFormed } from "../session/well-formed.ts";
import type { Database } from "../sqlite/database.ts";
import { sql, type SqlFragment } from "../sqlite/sql.ts";

/** What the index remembers of a session for its refreshes. */
export interface StoredSession {
  readonly key: number;
  readonly stamp: number;
  readonly opened: number;
  readonly complete: boolean;
  readonly messageCount: number;
  readonly removedAt: number | null;
}

/** How long a deletion is remembered, in milliseconds: until then no refresh that was under way can bring it back. */
export const TOMBSTONE_MS = 24 * 60 * 60 * 1000;

export interface SessionWriter {
  find(sessionId: string): StoredSession | null;
  /** Adds the row of a session that is not known. */
  insert(session: Session, stamp: number): number;
  /** Remembers that a stamp was given out. */
  markOpened(key: number, stamp: number): void;
  /** Writes what the host says of the session, and its fingerprint. `complete` true marks it so; false leaves it. */
  update(key: number, session: Session, stamp: number, complete: boolean): void;
  /** Marks a session complete whose row a newer refresh has written meanwhile. */
  markComplete(key: number): void;
  /** Turns the row into a tombstone, adding it when there is none. */
  bury(sessionId: string, at: number): void;
  noteError(sessionId: string): void;
  /** Keys of tombstones that still have documents: a removal that was interrupted. */
  unfinishedRemovals(): readonly number[];
  /** Forgets tombstones older than `before` (epoch ms) that have no documents left. */
  forgetTombstones(before: number): void;
}

const HAS_DOCUMENTS = sql`EXISTS (SELECT 1 FROM documents WHERE session_key = sessions.key)`;

export function createSessionWriter(database: Database): SessionWriter {
  return {
    find(sessionId) {
      const row = database.all(
        sql`SELECT key, stamp, opened, complete, message_count, removed_at FROM sessions WHERE id = ${sessionId}`,
      )[0];
      if (row === undefined) return null;
      return {
        key: Number(row["key"]),
        stamp: Number(row["stamp"]),
        opened: Number(row["opened"]),
        complete: row["complete"] === 1,
        messageCount: Number(row["message_count"]),
        removedAt: row["removed_at"] == null ? null : Number(row["removed_at"]),
      };
    },

    insert(session, stamp) {
      database.run(
        sql`INSERT INTO sessions (id, source, project_id, directory, title, created_at, updated_at, stamp, opened)
          VALUES (${session.id}, ${session.source}, '', '', '', 0, 0, 0, ${stamp})`,
      );
      const key = Number(database.all(sql`SELECT key FROM sessions WHERE id = ${session.id}`)[0]?.["key"]);
      database.run(sql`UPDATE sessions SET ${described(session)} WHERE key = ${key}`);
      return key;
    },

    markOpened(key, stamp) {
      database.run(sql`UPDATE sessions SET opened = ${stamp} WHERE key = ${key}`);
    },

    update(key, session, stamp, complete) {
      database.run(
        sql`UPDATE sessions SET ${described(session)}, stamp = ${stamp}, fingerprint = ${sessionFingerprint(session)},
          complete = max(complete, ${complete ? 1 : 0}) WHERE key = ${key}`,
      );
    },

    markComplete(key) {
      database.run(sql`UPDATE sessions SET complete = 1 WHERE key = ${key}`);
    },

    bury(sessionId, at) {
      database.run(
        sql`INSERT INTO sessions (id, source, project_id, directory, title, created_at, updated_at, stamp, opened, removed_at)
          VALUES (${sessionId}, '', '', '', '', 0, 0, ${at}, ${at}, ${at})
          ON CONFLICT (id) DO UPDATE SET removed_at = max(${at}, opened, coalesce(removed_at, 0)), title = '',
            fingerprint = NULL, complete = 0`,
      );
    },

    noteError(sessionId) {
      database.run(sql`UPDATE sessions SET has_error = 1 WHERE id = ${sessionId}`);
    },

    unfinishedRemovals: () =>
      database
        .all(sql`SELECT key FROM sessions WHERE removed_at IS NOT NULL AND ${HAS_DOCUMENTS}`)
        .map((row) => Number(row["key"])),

    forgetTombstones(before) {
      database.run(sql`DELETE FROM sessions WHERE removed_at < ${before} AND NOT ${HAS_DOCUMENTS}`);
    },
  };
}

function described(session: Session): SqlFragment {
  const { source, parentId, createdAt, updatedAt, archivedAt, revert } = session;
  return sql`source = ${source}, project_id = ${wellFormed(session.projectId)},
    directory = ${wellFormed(session.directory)}, parent_id = ${parentId}, title = ${wellFormed(session.title)},
    created_at = ${createdAt}, updated_at = ${updatedAt}, archived_at = ${archivedAt},
    revert_message_id = ${revert?.messageId ?? null}, revert_part_id = ${revert?.partId ?? null}`;
}
