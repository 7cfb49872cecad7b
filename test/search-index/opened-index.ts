/** Opened index: a real search index in a folder of a test's own, and looks into its tables. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openSearchIndex, type SearchIndex, type SearchIndexOptions } from "../../src/search-index/search-index.ts";
import { messageDigest } from "../../src/session/fingerprint.ts";
import { fold } from "../../src/session/fold.ts";
import type { Message, Session } from "../../src/session/session.ts";
import { loadBetterSqlite3Driver } from "../../src/sqlite/better-sqlite3.ts";
import type { SqliteDriver, SqlRow, SqlStatement } from "../../src/sqlite/database.ts";
import { sql } from "../../src/sqlite/sql.ts";

export function testDriver(): SqliteDriver {
  const driver = loadBetterSqlite3Driver();
  if (driver === null) throw new Error("better-sqlite3 is missing: run `npm ci`.");
  return driver;
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "history-index-"));
}

export function removeFolder(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}

export function openTestIndex(directory: string, options: Partial<SearchIndexOptions> = {}): Promise<SearchIndex> {
  return openSearchIndex({ directory, driver: testDriver(), clock: systemClock, log: silentLogger, ...options });
}

export function withDigests(messages: readonly Message[]): { message: Message; digest: string }[] {
  return messages.map((message) => ({ message, digest: messageDigest(message) }));
}

/** A full pass: the session holds exactly these messages. */
export async function store(index: SearchIndex, session: Session, messages: readonly Message[]): Promise<void> {
  const refresh = await index.open(session);
  if (refresh === null) throw new Error(`The index refused ${session.id}.`);
  await refresh.put(withDigests(messages));
  await refresh.finish(new Set(messages.map(({ id }) => id)));
}

export function rows(index: SearchIndex, statement: SqlStatement): SqlRow[] {
  return index.readConnection().all(statement);
}

/** Texts of a session's documents by message id and chunk, the title as "title"; empty when it has none. */
export function textsOf(index: SearchIndex, sessionId: string): Record<string, string> {
  const found = rows(
    index,
    sql`SELECT message_id, chunk, text FROM documents JOIN sessions ON key = session_key
      WHERE sessions.id = ${sessionId} ORDER BY message_id, chunk`,
  );
  return Object.fromEntries(
    found.map(({ message_id: id, chunk, text }) => {
      const name = id === "" ? "title" : String(id);
      return [chunk === 0 ? name : `${name}#${String(chunk)}`, String(text)];
    }),
  );
}

/** Ids of the sessions that hold a word of at least three characters: found as searches do, without verification. */
export function sessionsWith(index: SearchIndex, word: string): string[] {
  const folded = fold(word);
  const trigrams = Array.from({ length: folded.length - 2 }, (_, at) => `"${folded.slice(at, at + 3)}"`);
  const held = index.hasPostings
    ? sql`documents.id IN (SELECT rowid FROM postings WHERE postings MATCH ${trigrams.join(" AND ")})`
    : sql`instr(lower(text), ${folded}) > 0`;
  const found = rows(
    index,
    sql`SELECT DISTINCT sessions.id AS id FROM documents JOIN sessions ON key = session_key
      WHERE removed_at IS NULL AND ${held} ORDER BY sessions.id`,
  );
  return found.map(({ id }) => String(id));
}
