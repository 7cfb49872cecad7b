/** Layout: whose tables a file holds, and of which version. */

import type { Database } from "../sqlite/database.ts";
import { sql } from "../sqlite/sql.ts";
import { transaction } from "../sqlite/transaction.ts";
import { APPLICATION_ID, LAYOUT_VERSION, POSTINGS, TABLES } from "./schema.ts";

export type Layout = "empty" | "current" | "older" | "newer" | "foreign";

function pragma(database: Database, name: "application_id" | "user_version"): number {
  return Number(database.all(sql`PRAGMA ${sql.constant(name)}`)[0]?.[name]);
}

/** @throws SqliteError when the file is no sound database */
export function readLayout(database: Database): Layout {
  const tables = Number(database.all(sql`SELECT count(*) AS count FROM sqlite_schema`)[0]?.["count"]);
  const application = pragma(database, "application_id");
  const version = pragma(database, "user_version");
  if (tables === 0 && application === 0 && version === 0) return "empty";
  if (application !== APPLICATION_ID) return "foreign";
  if (version === LAYOUT_VERSION) return "current";
  return version < LAYOUT_VERSION ? "older" : "newer";
}

/** Whether the file still has the layout it was opened with: another version may have replaced it. One short read. */
export function hasCurrentLayout(database: Database): boolean {
  return pragma(database, "user_version") === LAYOUT_VERSION;
}

/** Whether this SQLite has FTS5 with the trigram tokenizer (3.34 and newer, unless built without). */
export function hasTrigrams(database: Database): boolean {
  try {
    database.exec(
      "CREATE VIRTUAL TABLE temp.probe USING fts5 (text, content='', detail=none, tokenize='trigram case_sensitive 1')",
    );
    database.exec("DROP TABLE temp.probe");
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes our tables in an empty file, or in place of our own older ones; does nothing when another process was faster.
 * @returns the layout that was found, under the write lock
 */
export function establishLayout(database: Database, withPostings: boolean): Layout {
  return transaction(database, () => {
    const found = readLayout(database);
    if (found !== "empty" && found !== "older") return found;
    dropTables(database);
    database.exec(TABLES);
    if (withPostings) database.exec(POSTINGS);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${LAYOUT_VERSION}`);
    return found;
  });
}

function dropTables(database: Database): void {
  // Virtual tables go first: they take the tables behind them along.
  for (const kind of ["CREATE VIRTUAL TABLE%", "CREATE TABLE%"]) {
    const names = database.all(
      sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE ${kind} AND name NOT LIKE 'sqlite_%'
        ORDER BY name LIKE '%instances' DESC, name LIKE '%counts' DESC`,
    );
    for (const { name } of names) {
      database.exec(`DROP TABLE IF EXISTS "${String(name).replaceAll('"', '""')}"`);
    }
  }
}
