/**
 * Positions: the order of a session's messages as the index knows it. Only ids, times and roles, so that a reader can
 * ask the host for just the messages it needs. The index may lag behind the host: a position is a hint.
 */

import type { MessageRole } from "../session/session.ts";
import type { SqlRow } from "../sqlite/database.ts";
import { SqliteError } from "../sqlite/database.ts";
import { sql, type SqlFragment } from "../sqlite/sql.ts";
import type { SearchableIndex } from "./reader.ts";
import { DOCUMENT_ROLE } from "./schema.ts";

/** A place in a session: after every message that is older, or as old with a smaller id. */
export interface Place {
  readonly id: string;
  readonly createdAt: number;
}

export interface MessagePosition extends Place {
  readonly role: MessageRole;
}

/** All methods know user and assistant messages only, and answer "nothing" for a session that is not indexed. */
export interface MessagePositions {
  /** Whether every message the session had at its last full pass is known. */
  complete(sessionId: string): boolean;
  /** One message's position; null when it is not known. */
  find(sessionId: string, messageId: string): MessagePosition | null;
  /** The next `count` positions after a place, or from the start when it is null; oldest first. */
  after(sessionId: string, place: Place | null, role: MessageRole | null, count: number): readonly MessagePosition[];
  /** The last `count` positions before a place, or before the end when it is null; newest first. */
  before(sessionId: string, place: Place | null, role: MessageRole | null, count: number): readonly MessagePosition[];
}

/** Knows nothing: for hosts and moments without an index. */
export const noPositions: MessagePositions = {
  complete: () => false,
  find: () => null,
  after: () => [],
  before: () => [],
};

/** Positions out of the index; each call is a read of its own. Throws SqliteError (see isIndexFailure). */
export function createMessagePositions(index: Pick<SearchableIndex, "beginRead" | "endRead">): MessagePositions {
  const rows = (statement: SqlFragment): readonly SqlRow[] => {
    const database = index.beginRead();
    try {
      return database.all(statement);
    } finally {
      index.endRead();
    }
  };
  return {
    complete: (sessionId) =>
      rows(sql`SELECT 1 FROM sessions WHERE id = ${sessionId} AND complete = 1 AND removed_at IS NULL`).length > 0,
    find: (sessionId, messageId) =>
      rows(
        sql`SELECT ${COLUMNS} FROM documents
          WHERE session_key = ${keyOf(sessionId)} AND message_id = ${messageId} AND chunk = 0 AND ${isOf(null)}`,
      ).map(positionOf)[0] ?? null,
    // Row values compare as documents_by_time sorts, so either direction reads one short range of it.
    after: (sessionId, place, role, count) =>
      rows(
        sql`SELECT ${COLUMNS} FROM documents WHERE session_key = ${keyOf(sessionId)} AND chunk = 0 AND ${isOf(role)}
          ${place === null ? sql.empty : sql`AND (created_at, message_id) > (${place.createdAt}, ${place.id})`}
          ORDER BY created_at, message_id LIMIT ${count}`,
      ).map(positionOf),
    before: (sessionId, place, role, count) =>
      rows(
        sql`SELECT ${COLUMNS} FROM documents WHERE session_key = ${keyOf(sessionId)} AND chunk = 0 AND ${isOf(role)}
          ${place === null ? sql.empty : sql`AND (created_at, message_id) < (${place.createdAt}, ${place.id})`}
          ORDER BY created_at DESC, message_id DESC LIMIT ${count}`,
      ).map(positionOf),
  };
}

/** Whether an error says that the index could not be read just now, so that one does better without it. */
export function isIndexFailure(error: unknown): boolean {
  return error instanceof SqliteError;
}

const COLUMNS = sql`message_id, created_at, role`;

function keyOf(sessionId: string): SqlFragment {
  return sql`(SELECT key FROM sessions WHERE id = ${sessionId} AND removed_at IS NULL)`;
}

/** `+` keeps the column out of SQLite's choice of index. */
function isOf(role: MessageRole | null): SqlFragment {
  return role === null
    ? sql`+role IN ${sql.list([DOCUMENT_ROLE.user, DOCUMENT_ROLE.assistant])}`
    : sql`+role = ${DOCUMENT_ROLE[role]}`;
}

function positionOf(row: SqlRow): MessagePosition {
  return {
    id: String(row["message_id"]),
    createdAt: Number(row["created_at"]),
    role: row["role"] === DOCUMENT_ROLE.user ? "user" : "assistant",
  };
}
