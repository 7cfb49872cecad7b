/**
 * Search baseline: the index that one would write first. FTS5 trigram over an external content table with positions,
 * and one SQL statement a search: every matching session is listed, then sorted, filtered and limited.
 */

import type { Database, SqliteDriver } from "../../src/sqlite/database.ts";
import { sql, type SqlFragment } from "../../src/sqlite/sql.ts";
import { SESSION_SHIFT } from "../../src/search-index/document-id.ts";
import { BENCH_LIMIT, type BenchQuery } from "./search-queries.ts";

export interface Baseline {
  /** Sessions that match, or projects for a count of projects. */
  search(query: BenchQuery): number;
  close(): void;
}

/** UTF-16 units of text in one transaction: as the product's writer. */
const COMMIT_LENGTH = 64 * 1024;

const PRAGMAS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";

const SCHEMA = `
CREATE TABLE sessions (key INTEGER PRIMARY KEY, project_id TEXT NOT NULL, title TEXT NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX sessions_by_activity ON sessions (updated_at DESC);
CREATE TABLE documents (
  id INTEGER PRIMARY KEY, session_key INTEGER NOT NULL, message_id TEXT NOT NULL, created_at INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE INDEX documents_by_session ON documents (session_key);
CREATE VIRTUAL TABLE postings USING fts5 (text, content='documents', content_rowid='id', tokenize='trigram');
`;

/**
 * Builds the baseline from the documents of an index.
 * @returns milliseconds of writing alone
 */
export function buildBaseline(driver: SqliteDriver, indexPath: string, path: string): number {
  const source = driver.open({ path: indexPath, readOnly: true, busyTimeoutMs: 5 });
  const database = driver.open({ path, readOnly: false, busyTimeoutMs: 5 });
  let spent = 0;
  try {
    database.exec(PRAGMAS + SCHEMA);
    for (const row of source.iterate(sql`SELECT key, project_id, title, updated_at FROM sessions`)) {
      const { key = null, project_id = null, title = null, updated_at = null } = row;
      database.run(sql`INSERT INTO sessions VALUES (${key}, ${project_id}, ${title}, ${updated_at})`);
    }
    let pending = 0;
    database.exec("BEGIN");
    for (const row of source.iterate(sql`SELECT id, message_id, created_at, text FROM documents ORDER BY id`)) {
      const startedAt = performance.now();
      const { id = null, message_id = null, created_at = null } = row;
      const text = String(row["text"]);
      database.run(
        sql`INSERT INTO documents VALUES (${id}, ${id} >> ${SESSION_SHIFT}, ${message_id}, ${created_at}, ${text})`,
      );
      database.run(sql`INSERT INTO postings (rowid, text) VALUES (${id}, ${text})`);
      pending += text.length;
      if (pending >= COMMIT_LENGTH) {
        database.exec("COMMIT; BEGIN");
        pending = 0;
      }
      spent += performance.now() - startedAt;
    }
    database.exec("COMMIT");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return spent;
  } finally {
    source.close();
    database.close();
  }
}

export function openBaseline(driver: SqliteDriver, path: string): Baseline {
  const database = driver.open({ path, readOnly: false, busyTimeoutMs: 5 });
  database.exec("PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY");
  return {
    search: (query) => run(database, query),
    close: () => database.close(),
  };
}

function run(database: Database, { baseline, date, useCase }: BenchQuery): number {
  const conditions = [
    ...baseline.all.map((word) => sql`key IN ${sessionsWith(word, date)}`),
    ...baseline.none.map((word) => sql`key NOT IN ${sessionsWith(word, null)}`),
    ...(baseline.any.length === 0
      ? []
      : [
          sql`(${sql.join(
            baseline.any.map((word) => sql`key IN ${sessionsWith(word, date)}`),
            sql` OR `,
          )})`,
        ]),
  ];
  const where = conditions.length === 0 ? sql`1` : sql.join(conditions, sql` AND `);
  if (useCase === "projects") {
    return database.all(sql`SELECT project_id, count(*) FROM sessions WHERE ${where} GROUP BY project_id`).length;
  }
  return database.all(sql`SELECT * FROM sessions WHERE ${where} ORDER BY updated_at DESC LIMIT ${BENCH_LIMIT + 1}`)
    .length;
}

/** Terms too short for a trigram leave only a scan. */
function sessionsWith(word: string, date: BenchQuery["date"]): SqlFragment {
  const inRange = date === null ? sql.empty : sql`AND created_at >= ${date.from} AND created_at < ${date.to}`;
  if (Array.from(word).length < 3) {
    return sql`(SELECT session_key FROM documents WHERE text LIKE ${`%${word}%`} ${inRange})`;
  }
  return sql`(SELECT session_key FROM documents
    WHERE id IN (SELECT rowid FROM postings WHERE postings MATCH ${`"${word}"`}) ${inRange})`;
}
