/**
 * Opening lock: only one process at a time opens, makes, or sets aside an index file. Without it one process could
 * rename away the write-ahead log that another has just begun.
 *
 * The lock is SQLite's own, on a small file beside the index: it ends with its process, however that dies.
 */

import { truncateSync } from "node:fs";
import { join } from "node:path";

import type { Clock } from "../runtime/clock.ts";
import { type Database, SqliteError, type SqliteDriver } from "../sqlite/database.ts";
import { prepareFile } from "./index-folder.ts";
import { retryWhileBusy } from "./write-queue.ts";

export interface OpeningLockOptions {
  readonly driver: SqliteDriver;
  readonly directory: string;
  readonly clock: Clock;
  readonly patienceMs: number;
}

/**
 * Runs `work` while no other process does the same in that folder.
 * @param patienceMs how long to wait for the lock; each failed attempt blocks for no more than a moment
 * @throws SqliteError "busy" when the lock stays taken, and whatever the file system or `work` throws
 */
export async function whileOpening<T>(
  { driver, directory, clock, patienceMs }: OpeningLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(directory, "opening.lock");
  prepareFile(path);
  const lock = driver.open({ path, readOnly: false, busyTimeoutMs: 0 });
  try {
    await retryWhileBusy(clock, patienceMs, () => begin(lock, path));
    return await work();
  } finally {
    // Ends the transaction, and with it the lock.
    lock.close();
  }
}

function begin(lock: Database, path: string): void {
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    // Nothing is ever stored in it; if something is, it is not ours to wait for.
    if (!(error instanceof SqliteError) || error.code !== "not-a-database") throw error;
    truncateSync(path);
    lock.exec("BEGIN EXCLUSIVE");
  }
}
