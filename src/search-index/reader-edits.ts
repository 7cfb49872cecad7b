/** Reader of edits and tool calls: which messages changed which files, and which sessions called which tools. */

import type { Database, SqlRow } from "../sqlite/database.ts";
import { sql, type SqlFragment } from "../sqlite/sql.ts";

/** A row of `document_paths` with the message it belongs to. */
export interface EditRow {
  readonly documentId: number;
  readonly sessionKey: number;
  readonly messageId: string;
  /** When the message was written: what the asking turn and reverts are judged by. */
  readonly messageAt: number;
  /** Absolute and normalised. */
  readonly path: string;
  /** The last segment of the path, lower-cased. */
  readonly name: string;
  readonly tool: string;
  readonly editedAt: number;
}

/** A place in the order of edits: newest first, then by document and path. */
export interface EditPlace {
  readonly editedAt: number;
  readonly documentId: number;
  readonly path: string;
}

/** Which edits to list; null admits all. */
export interface EditSource {
  readonly name: string | null;
  readonly sessionKey: number | null;
}

export interface EditReader {
  /** The next edits in order, newest first, of those edited in [from, to). */
  newest(
    source: EditSource,
    range: { from: number; to: number },
    after: EditPlace | null,
    count: number,
  ): readonly EditRow[];
  /** The next edits of exactly that path, oldest first. */
  ofPath(name: string, path: string, after: EditPlace | null, count: number): readonly EditRow[];
  /** What the message of an edit says: its first chunk. */
  text(documentId: number): string;
  /** The next tool name in alphabetical order; null at the end. */
  nextTool(after: string | null): string | null;
  /** Whether the session called the tool in a message before `before` (epoch ms). */
  calledTool(tool: string, sessionKey: number, before: number): boolean;
}

const COLUMNS = sql`document_id, p.session_key AS session_key, message_id, created_at, path, name, tool, edited_at`;
const MESSAGE = sql`JOIN documents AS d ON d.id = document_id`;

export function createEditReader(database: Database): EditReader {
  const edits = (statement: SqlFragment): readonly EditRow[] => database.all(statement).map(editOf);
  return {
    newest(source, range, after, count) {
      const conditions = [
        sql`edited_at >= ${range.from}`,
        sql`edited_at < ${range.to}`,
        ...(source.name === null ? [] : [sql`name = ${source.name}`]),
        ...(source.sessionKey === null ? [] : [sql`p.session_key = ${source.sessionKey}`]),
        ...(after === null
          ? []
          : [
              sql`edited_at <= ${after.editedAt}`,
              sql`(edited_at < ${after.editedAt} OR (document_id, path) > (${after.documentId}, ${after.path}))`,
            ]),
      ];
      // The page is taken before the join: SQLite then never walks documents to find edits.
      return edits(
        sql`SELECT ${COLUMNS} FROM (
            SELECT * FROM document_paths AS p WHERE ${sql.join(conditions, sql` AND `)}
            ORDER BY edited_at DESC, document_id, path LIMIT ${count}
          ) AS p ${MESSAGE} ORDER BY edited_at DESC, document_id, path`,
      );
    },
    ofPath(name, path, after, count) {
      const from =
        after === null
          ? sql.empty
          : sql`AND edited_at >= ${after.editedAt}
            AND (edited_at > ${after.editedAt} OR document_id > ${after.documentId})`;
      return edits(
        sql`SELECT ${COLUMNS} FROM (
            SELECT * FROM document_paths WHERE name = ${name} AND path = ${path} ${from}
            ORDER BY edited_at, document_id LIMIT ${count}
          ) AS p ${MESSAGE} ORDER BY edited_at, document_id`,
      );
    },
    text: (documentId) =>
      String(database.all(sql`SELECT text FROM documents WHERE id = ${documentId}`)[0]?.["text"] ?? ""),
    nextTool(after) {
      const next = database.all(
        sql`SELECT tool FROM document_tools WHERE tool > ${after ?? ""} ORDER BY tool LIMIT 1`,
      )[0];
      return next === undefined ? null : String(next["tool"]);
    },
    calledTool: (tool, sessionKey, before) =>
      database.all(
        sql`SELECT 1 FROM document_tools AS t JOIN documents AS d ON d.id = document_id
          WHERE tool = ${tool} AND t.session_key = ${sessionKey} AND created_at < ${before} LIMIT 1`,
      ).length > 0,
  };
}

function editOf(row: SqlRow): EditRow {
  return {
    documentId: Number(row["document_id"]),
    sessionKey: Number(row["session_key"]),
    messageId: String(row["message_id"]),
    messageAt: Number(row["created_at"]),
    path: String(row["path"]),
    name: String(row["name"]),
    tool: String(row["tool"]),
    editedAt: Number(row["edited_at"]),
  };
}
