/**
 * Shared read: one reading connection in one deferred transaction for all searches that run at the same time. The
 * transaction ends with the last of them.
 */

import { type Database, SqliteError, type SqliteDriver } from "../sqlite/database.ts";
import { rollBack } from "../sqlite/transaction.ts";
import { closeQuietly, type IndexFile } from "./index-file.ts";
import { WatchedDatabase } from "./watched-database.ts";

const READER_CACHE_KB = 8192;
/** As for the writer: waiting for a lock blocks the event loop. */
const BUSY_TIMEOUT_MS = 5;

export class SharedRead {
  readonly #driver: SqliteDriver;
  readonly #onError: (error: unknown) => void;
  #file: IndexFile;
  #connection: Database | null = null;
  /** Connections to files that are no longer the index, still read by searches that began on them. */
  readonly #retired: Database[] = [];
  #readers = 0;

  constructor(driver: SqliteDriver, file: IndexFile, onError: (error: unknown) => void) {
    this.#driver = driver;
    this.#file = file;
    this.#onError = onError;
  }

  /** Whether there is a connection: else the next read opens one. */
  get isOpen(): boolean {
    return this.#connection !== null;
  }

  /** Whether some search is inside the transaction. */
  get isActive(): boolean {
    return this.#readers > 0;
  }

  /** The reading connection, for single statements. @throws SqliteError */
  connection(): Database {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  /** Joins the transaction, or begins it. @throws SqliteError */
  begin(): Database {
    const database = this.connection();
    if (this.#file.path !== null && !database.inTransaction) database.exec("BEGIN");
    this.#readers += 1;
    return database;
  }

  end(): void {
    if (this.#readers === 0) throw new SqliteError("misuse", "No read is under way.");
    this.#readers -= 1;
    if (this.#readers > 0) return;
    if (this.#connection !== null && this.#file.path !== null) rollBack(this.#connection);
    for (const database of this.#retired.splice(0)) closeQuietly(database);
  }

  /** From now on reads go to another file; those under way end on the old one. */
  moveTo(file: IndexFile): void {
    this.close();
    this.#file = file;
  }

  close(): void {
    const connection = this.#connection;
    this.#connection = null;
    // In memory there is one connection, and it is the writer's to close.
    if (connection === null || this.#file.path === null) return;
    if (this.#readers > 0) this.#retired.push(connection);
    else closeQuietly(connection);
  }

  #open(): Database {
    const { path, writer } = this.#file;
    if (path === null) return new WatchedDatabase(writer, this.#onError);
    const native = this.#driver.open({ path, readOnly: false, busyTimeoutMs: BUSY_TIMEOUT_MS });
    const database = new WatchedDatabase(native, this.#onError);
    try {
      database.exec(`PRAGMA query_only = 1; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${READER_CACHE_KB}`);
      return database;
    } catch (error) {
      closeQuietly(native);
      throw error;
    }
  }
}
