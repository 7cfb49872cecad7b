/** Reader of session rows: by key, by id, and by how recently something happened in them. */

import type { Source } from "../session/session.ts";
import type { Database, SqlRow } from "../sqlite/database.ts";
import { sql } from "../sqlite/sql.ts";

/** A row of `sessions`. Times are epoch milliseconds. */
export interface SessionRow {
  readonly key: number;
  readonly id: string;
  readonly source: Source;
  readonly projectId: string;
  readonly directory: string;
  readonly parentId: string | null;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly archivedAt: number | null;
  readonly revertMessageId: string | null;
  readonly revertPartId: string | null;
  readonly hasError: boolean;
}

/** A place in the order of activity: after every session that is newer, or as new with a smaller key. */
export interface ActivityPlace {
  readonly updatedAt: number;
  readonly key: number;
}

/** Where sessions ran: a directory as the host gave it, and the project it counted as. */
export interface SessionPlace {
  readonly projectId: string;
  readonly directory: string;
}

export interface SessionReader {
  byId(id: string): SessionRow | null;
  /** The rows of those keys that exist and are not removed, in no order. */
  byKeys(keys: readonly number[]): readonly SessionRow[];
  /** Those of the keys that exist and are not removed, in order of activity, newest first. */
  sorted(keys: readonly number[]): readonly number[];
  /** The next sessions in order of activity, newest first; of one project when it is given. */
  byActivity(after: ActivityPlace | null, projectId: string | null, count: number): readonly SessionRow[];
  /** The highest key of all sessions, removed ones too; 0 when there is none. */
  lastKey(): number;
  /** The next distinct place after the given one, in an order of its own; null at the end. One short look-up. */
  nextPlace(after: SessionPlace | null): SessionPlace | null;
}

const COLUMNS = sql`key, id, source, project_id, directory, parent_id, title, created_at, updated_at, archived_at,
  revert_message_id, revert_part_id, has_error`;

export function createSessionReader(database: Database): SessionReader {
  return {
    byId(id) {
      const rows = database.all(sql`SELECT ${COLUMNS} FROM sessions WHERE id = ${id} AND removed_at IS NULL`);
      return rows.map(sessionOf)[0] ?? null;
    },
    byKeys(keys) {
      const list = JSON.stringify(keys);
      return database
        .all(sql`SELECT ${COLUMNS} FROM sessions
            WHERE key IN (SELECT value FROM json_each(${list})) AND removed_at IS NULL`)
        .map(sessionOf);
    },
    sorted(keys) {
      const list = JSON.stringify(keys);
      const found = database.all(
        sql`SELECT json_group_array(key) AS keys FROM (
            SELECT key FROM sessions WHERE key IN (SELECT value FROM json_each(${list})) AND removed_at IS NULL
            ORDER BY updated_at DESC, key
          )`,
      )[0];
      return JSON.parse(String(found?.["keys"] ?? "[]"));
    },
    byActivity(after, projectId, count) {
      const inProject = projectId === null ? sql.empty : sql`AND project_id = ${projectId}`;
      const from =
        after === null
          ? sql.empty
          : sql`AND updated_at <= ${after.updatedAt} AND (updated_at < ${after.updatedAt} OR key > ${after.key})`;
      return database
        .all(
          sql`SELECT ${COLUMNS} FROM sessions WHERE removed_at IS NULL ${inProject} ${from}
            ORDER BY updated_at DESC, key LIMIT ${count}`,
        )
        .map(sessionOf);
    },
    lastKey: () => Number(database.all(sql`SELECT max(key) AS key FROM sessions`)[0]?.["key"] ?? 0),
    nextPlace(after) {
      const from =
        after === null ? sql.empty : sql`AND (project_id, directory) > (${after.projectId}, ${after.directory})`;
      const row = database.all(
        sql`SELECT project_id, directory FROM sessions WHERE removed_at IS NULL ${from}
          ORDER BY project_id, directory LIMIT 1`,
      )[0];
      return row === undefined ? null : { projectId: String(row["project_id"]), directory: String(row["directory"]) };
    },
  };
}

function sessionOf(row: SqlRow): SessionRow {
  return {
    key: Number(row["key"]),
    id: String(row["id"]),
    source: row["source"] === "v2" ? "v2" : "v1",
    projectId: String(row["project_id"]),
    directory: String(row["directory"]),
    parentId: textOrNull(row["parent_id"]),
    title: String(row["title"]),
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
    archivedAt: row["archived_at"] == null ? null : Number(row["archived_at"]),
    revertMessageId: textOrNull(row["revert_message_id"]),
    revertPartId: textOrNull(row["revert_part_id"]),
    hasError: row["has_error"] === 1,
  };
}

function textOrNull(value: SqlRow[string] | undefined): string | null {
  return typeof value === "string" ? value : null;
}
