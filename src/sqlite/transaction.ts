/** Transaction: several statements that happen together or not at all. */

import { type Database, SqliteError } from "./database.ts";

function isPromise(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value;
}

/**
 * Runs `work` inside BEGIN IMMEDIATE, so that what it reads cannot change before it writes.
 * @returns what `work` returned
 * @throws the first error: one of `work` rolls back, and a failing rollback does not replace it
 */
export function transaction<T>(database: Database, work: () => T): T {
  if (database.inTransaction) throw new SqliteError("misuse", "A transaction is already open on this connection.");
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    if (isPromise(result)) {
      throw new SqliteError("misuse", "A transaction cannot wait: its work returned a promise.");
    }
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Ends whatever transaction is open; SQLite may have ended it by itself (full disk, input/output error). */
export function rollBack(database: Database): void {
  try {
    if (database.inTransaction) database.exec("ROLLBACK");
  } catch {
    // The error that led here says more than this one.
  }
}
