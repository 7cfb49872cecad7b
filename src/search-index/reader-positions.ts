/**
 * Positions: the order of a session's messages as the index knows it. Only ids, times and roles, so that a reader can
 * ask the host for just the messages it needs. The index may lag behind the host: a position is a hint.
 */

import type { MessageRole } from "../session/session.ts";
import type { Database, SqlRow, SqlStatement } from "../sqlite/database.ts";
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

/**
 * Positions out of the index file.
 * @param database the connection to read with; null while there is none. Asked for at every call, since an index is
 *   reopened when it was rebuilt
 */
export function createMessagePositions(database: () => Database | null): MessagePositions {
  const rows = (statement: SqlStatement): readonly SqlRow[] => database()?.all(statement) ?? [];
  return {
    complete: (sessionId) => rows(completeStatement(sessionId)).length > 0,
    find: (sessionId, messageId) => rows(findStatement(sessionId, messageId)).map(positionOf)[0] ?? null,
    after: (sessionId, place, role, count) =>
      rows(walkStatement(sessionId, place, role, count, "after")).map(positionOf),
    before: (sessionId, place, role, count) =>
      rows(walkStatement(sessionId, place, role, count, "before")).map(positionOf),
  };
}

const sessionKey = "(SELECT key FROM sessions WHERE id = ? AND removed_at IS NULL)";

function completeStatement(sessionId: string): SqlStatement {
  return {
    text: "SELECT 1 AS complete FROM sessions WHERE id = ? AND complete = 1 AND removed_at IS NULL",
    parameters: [sessionId],
  };
}

function findStatement(sessionId: string, messageId: string): SqlStatement {
  return {
    text: `SELECT message_id, created_at, role FROM documents
WHERE session_key = ${sessionKey} AND message_id = ? AND chunk = 0 AND role IN (?, ?)`,
    parameters: [sessionId, messageId, DOCUMENT_ROLE.user, DOCUMENT_ROLE.assistant],
  };
}

/** Row values compare as the index `documents_by_time` sorts, so either direction reads one short range of it. */
function walkStatement(
  sessionId: string,
  place: Place | null,
  role: MessageRole | null,
  count: number,
  direction: "after" | "before",
): SqlStatement {
  const [comparison, order] = direction === "after" ? [">", "ASC"] : ["<", "DESC"];
  const roles = role === null ? [DOCUMENT_ROLE.user, DOCUMENT_ROLE.assistant] : [DOCUMENT_ROLE[role]];
  return {
    text: `SELECT message_id, created_at, role FROM documents
WHERE session_key = ${sessionKey} AND chunk = 0 AND role IN (${roles.map(() => "?").join(", ")})
${place === null ? "" : `AND (created_at, message_id) ${comparison} (?, ?)`}
ORDER BY created_at ${order}, message_id ${order} LIMIT ?`,
    parameters: [sessionId, ...roles, ...(place === null ? [] : [place.createdAt, place.id]), count],
  };
}

function positionOf(row: SqlRow): MessagePosition {
  return {
    id: String(row["message_id"]),
    createdAt: Number(row["created_at"]),
    role: row["role"] === DOCUMENT_ROLE.user ? "user" : "assistant",
  };
}
