/** Reader of documents: the texts of a session in the order they were said, and what is known about single messages. */

import type { MessageRole } from "../session/session.ts";
import type { Database, SqlRow } from "../sqlite/database.ts";
import { sql, type SqlFragment } from "../sqlite/sql.ts";
import { DOCUMENTS_PER_SESSION } from "./document-id.ts";
import { DOCUMENT_ROLE } from "./schema.ts";

/** A place in a session's order: time first, then message id, then chunk. */
export interface DocumentPlace {
  readonly createdAt: number;
  readonly messageId: string;
  readonly chunk: number;
}

/** A chunk of a message. Titles are no documents here: they stand in the session's row. */
export interface DocumentRow extends DocumentPlace {
  readonly id: number;
  /** null for messages that are neither a user's nor an assistant's. */
  readonly role: MessageRole | null;
  readonly text: string;
}

export interface MessageRow {
  readonly messageId: string;
  readonly createdAt: number;
  readonly parentId: string | null;
  /** What a person wrote in it; null when it is no person's message. */
  readonly prompt: string | null;
}

/** Which messages count: null admits all. `from` and `to` are a half-open range of epoch milliseconds. */
export interface MessageFilter {
  readonly role: MessageRole | null;
  readonly from: number;
  readonly to: number;
}

/** Every message whatever its time: the range that a JavaScript Date can hold. */
export const ALL_TIME = { from: -8.64e15, to: 8.64e15 } as const;

export interface DocumentReader {
  /** The next documents of a session in order. */
  inOrder(sessionKey: number, after: DocumentPlace | null, count: number): readonly DocumentRow[];
  byIds(ids: readonly number[]): readonly DocumentRow[];
  /** The texts of those of the documents that the filter admits, in no order. */
  textsOf(ids: readonly number[], filter: MessageFilter): readonly { readonly id: number; readonly text: string }[];
  /** Where documents stand, without their texts: for sorting many before reading few. */
  placesOf(ids: readonly number[]): readonly (DocumentPlace & { readonly id: number })[];
  /** Whether the session has a message that the filter admits. */
  has(sessionKey: number, filter: MessageFilter): boolean;
  /** Of the sessions, those that have such a message. */
  having(sessionKeys: readonly number[], filter: MessageFilter): readonly number[];
  /**
   * Of the sessions, those that hold a word of ASCII letters, digits or "_" in a message that the filter admits, as
   * far as SQLite can tell: it lowers ASCII only, so there may be more. Only the first `depth` documents are read.
   */
  saying(sessionKeys: readonly number[], word: string, filter: MessageFilter, depth: number): readonly number[];
  /** Of the documents, the ids of those that hold the word as in `saying`. */
  holding(ids: readonly number[], word: string, filter: MessageFilter): readonly number[];
  /** When the last message of a user was written; null when none is indexed. */
  lastUserMessageAt(sessionKey: number): number | null;
  message(sessionKey: number, messageId: string): MessageRow | null;
  /** The nearest message before a place that holds a person's words. */
  promptBefore(sessionKey: number, createdAt: number, messageId: string): MessageRow | null;
  /** Whether a message before `before` (epoch ms) failed. */
  hasError(sessionKey: number, before: number): boolean;
}

const COLUMNS = sql`id, message_id, chunk, role, created_at, text`;
const MESSAGE_COLUMNS = sql`message_id, created_at, parent_id, prompt`;
/** `+` keeps a column out of SQLite's choice of index: every look-up below means to follow documents_by_time. */
const IS_MESSAGE = sql`+role <> ${DOCUMENT_ROLE.title}`;

export function createDocumentReader(database: Database): DocumentReader {
  const rows = (statement: SqlFragment): readonly SqlRow[] => database.all(statement);
  return {
    inOrder(sessionKey, after, count) {
      const from =
        after === null
          ? sql.empty
          : sql`AND (created_at, message_id, chunk) > (${after.createdAt}, ${after.messageId}, ${after.chunk})`;
      return rows(
        sql`SELECT ${COLUMNS} FROM documents WHERE session_key = ${sessionKey} ${from} AND ${IS_MESSAGE}
          ORDER BY created_at, message_id, chunk LIMIT ${count}`,
      ).map(documentOf);
    },
    byIds: (ids) =>
      rows(
        sql`SELECT ${COLUMNS} FROM documents
          WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${IS_MESSAGE}`,
      ).map(documentOf),
    textsOf: (ids, filter) =>
      rows(
        sql`SELECT id, text FROM documents
          WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${admitted(filter)}`,
      ).map((row) => ({ id: Number(row["id"]), text: String(row["text"]) })),
    placesOf: (ids) =>
      rows(
        sql`SELECT id, message_id, chunk, created_at FROM documents
          WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${IS_MESSAGE}`,
      ).map((row) => Object.assign(placeOf(row), { id: Number(row["id"]) })),
    // LIKE alone is not enough ("_" stands for any character), but it rules out most texts sooner than lowering them.
    saying: (sessionKeys, word, filter, depth) =>
      rows(
        sql`SELECT value AS key FROM json_each(${JSON.stringify(sessionKeys)}) WHERE EXISTS (
            SELECT 1 FROM documents
            WHERE id >= value * ${DOCUMENTS_PER_SESSION} AND id < value * ${DOCUMENTS_PER_SESSION} + ${depth}
              AND ${admitted(filter)} AND text LIKE ${`%${word}%`} AND instr(lower(text), ${word}) > 0
          )`,
      ).map((row) => Number(row["key"])),
    // Most of these hold the word, and most as it is: then the text need not be lowered.
    holding: (ids, word, filter) =>
      rows(
        sql`SELECT id FROM documents
          WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${admitted(filter)}
            AND (instr(text, ${word}) > 0 OR instr(lower(text), ${word}) > 0)`,
      ).map((row) => Number(row["id"])),
    having: (sessionKeys, filter) =>
      rows(
        sql`SELECT value AS key FROM json_each(${JSON.stringify(sessionKeys)}) WHERE EXISTS (
            SELECT 1 FROM documents
            WHERE session_key = value AND ${admitted(filter)}
          )`,
      ).map((row) => Number(row["key"])),
    has: (sessionKey, filter) =>
      rows(sql`SELECT 1 FROM documents WHERE session_key = ${sessionKey} AND ${admitted(filter)} LIMIT 1`).length > 0,
    lastUserMessageAt(sessionKey) {
      const last = rows(
        sql`SELECT created_at FROM documents WHERE session_key = ${sessionKey} AND +role = ${DOCUMENT_ROLE.user}
          ORDER BY created_at DESC LIMIT 1`,
      )[0];
      return last === undefined ? null : Number(last["created_at"]);
    },
    message: (sessionKey, messageId) =>
      rows(
        sql`SELECT ${MESSAGE_COLUMNS} FROM documents
          WHERE session_key = ${sessionKey} AND message_id = ${messageId} AND chunk = 0 AND ${IS_MESSAGE}`,
      ).map(messageOf)[0] ?? null,
    promptBefore: (sessionKey, createdAt, messageId) =>
      rows(
        sql`SELECT ${MESSAGE_COLUMNS} FROM documents
          WHERE session_key = ${sessionKey} AND (created_at, message_id) < (${createdAt}, ${messageId})
            AND chunk = 0 AND prompt IS NOT NULL
          ORDER BY created_at DESC, message_id DESC LIMIT 1`,
      ).map(messageOf)[0] ?? null,
    hasError: (sessionKey, before) =>
      rows(
        sql`SELECT 1 FROM documents WHERE session_key = ${sessionKey} AND has_error = 1 AND +created_at < ${before}
          LIMIT 1`,
      ).length > 0,
  };
}

function ofRole(role: MessageRole | null): SqlFragment {
  return role === null ? IS_MESSAGE : sql`+role = ${DOCUMENT_ROLE[role]}`;
}

function admitted({ role, from, to }: MessageFilter): SqlFragment {
  return sql`${ofRole(role)} AND created_at >= ${from} AND created_at < ${to}`;
}

const ROLES: ReadonlyMap<unknown, MessageRole> = new Map([
  [DOCUMENT_ROLE.user, "user"],
  [DOCUMENT_ROLE.assistant, "assistant"],
]);

function placeOf(row: SqlRow): DocumentPlace {
  return {
    createdAt: Number(row["created_at"]),
    messageId: String(row["message_id"]),
    chunk: Number(row["chunk"]),
  };
}

function documentOf(row: SqlRow): DocumentRow {
  return {
    id: Number(row["id"]),
    ...placeOf(row),
    role: ROLES.get(row["role"]) ?? null,
    text: String(row["text"]),
  };
}

function messageOf(row: SqlRow): MessageRow {
  return {
    messageId: String(row["message_id"]),
    createdAt: Number(row["created_at"]),
    parentId: typeof row["parent_id"] === "string" ? row["parent_id"] : null,
    prompt: typeof row["prompt"] === "string" ? row["prompt"] : null,
  };
}
