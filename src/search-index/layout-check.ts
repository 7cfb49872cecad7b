/** Layout check: whether a file that says it is ours holds what it should, as far as a moment allows to tell. */

import { messageOf } from "../runtime/error-message.ts";
import { type Database, SqliteError } from "../sqlite/database.ts";
import { sql } from "../sqlite/sql.ts";

/** Checking tables reads them whole: done for files up to this many pages (4 MiB). */
const CHECKED_PAGES = 1024;

/**
 * Real tables only. A check of the whole file also asks FTS5, whose answer is wrong while another process merges: it
 * remembers segments from before its read began (SQLite 3.53.2: "corruption found reading blob" on a sound file).
 */
const CHECKED_TABLES = ["sqlite_schema", "sessions", "documents", "document_paths", "document_tools"];

/** Reads that go through the root of every table and index. */
const TOUCHES = [
  sql`SELECT key FROM sessions ORDER BY key DESC LIMIT 1`,
  sql`SELECT key FROM sessions WHERE removed_at IS NULL ORDER BY updated_at DESC, key LIMIT 1`,
  sql`SELECT text FROM documents ORDER BY id DESC LIMIT 1`,
  sql`SELECT id FROM documents ORDER BY session_key, message_id, chunk LIMIT 1`,
  sql`SELECT id FROM documents ORDER BY session_key, created_at LIMIT 1`,
  sql`SELECT path FROM document_paths LIMIT 1`,
  sql`SELECT tool FROM document_tools LIMIT 1`,
];
const TOUCH_POSTINGS = sql`SELECT rowid FROM postings WHERE postings MATCH '"the"' LIMIT 1`;

/** @throws SqliteError "corrupt" when something is not as it should be, "busy" when it cannot be told */
export function checkTables(database: Database, hasPostings: boolean): void {
  try {
    for (const touch of hasPostings ? [...TOUCHES, TOUCH_POSTINGS] : TOUCHES) database.all(touch);
    const pages = Number(database.all(sql`PRAGMA page_count`)[0]?.["page_count"]);
    if (pages > CHECKED_PAGES) return;
    for (const table of hasPostings ? [...CHECKED_TABLES, "postings_data"] : CHECKED_TABLES) {
      const answer = database.all(sql`PRAGMA quick_check(${sql.constant(table)})`)[0]?.["quick_check"];
      if (answer !== "ok") throw new SqliteError("corrupt", String(answer));
    }
  } catch (error) {
    if (error instanceof SqliteError && error.code === "busy") throw error;
    // A table that is missing or lacks a column is damage too: the layout's version says that it should be there.
    throw new SqliteError("corrupt", messageOf(error), { cause: error });
  }
}
