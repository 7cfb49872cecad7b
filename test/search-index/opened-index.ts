/** Opened index: a real search index in a folder of a test's own, and looks into its tables. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openSearchIndex, type SearchIndex, type SearchIndexOptions } from "../../src/search-index/search-index.ts";
import { messageDigest } from "../../src/session/fingerprint.ts";
import type { Message, Session } from "../../src/session/session.ts";
import { loadBetterSqlite3Driver } from "../../src/sqlite/better-sqlite3.ts";
import type { SqliteDriver, SqlRow, SqlStatement } from "../../src/sqlite/database.ts";

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
