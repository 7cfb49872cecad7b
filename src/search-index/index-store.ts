/**
 * Index store: the index file as something that is always there. When the file is damaged, deleted under us, or taken
 * over by another version of this product, it is opened again; when there is nowhere to write, it lives in memory.
 */

import { type Database, SqliteError } from "../sqlite/database.ts";
import { sql } from "../sqlite/sql.ts";
import { transaction } from "../sqlite/transaction.ts";
import { closeQuietly, type IndexFile, type IndexFileOptions, isDamage, openInMemory } from "./index-file.ts";
import { FileWatch } from "./file-watch.ts";
import { flushLog } from "./index-folder.ts";
import { createIndexWriters, type IndexWriters } from "./index-writers.ts";
import { hasCurrentLayout } from "./layout.ts";
import { noteFile, openSomewhere } from "./open-somewhere.ts";
import { SharedRead } from "./shared-read.ts";
import { describeFailure, Troubles } from "./troubles.ts";
import { LOCK_PATIENCE_MS, retryWhileBusy, WriteQueue } from "./write-queue.ts";

export interface IndexStoreOptions extends IndexFileOptions {
  /** Called when the index was emptied or replaced while in use: all history is to be read again. */
  readonly onRebuilt: () => void;
}

/** The file under our feet is no longer the index. */
class ReplacedError extends Error {}

/** Milliseconds between two attempts to get from memory back to a file. */
const REOPEN_MS = 30_000;
/** Files set aside one after another before the disk is no longer trusted with one. */
const MAX_REBUILDS = 3;
/** Times that a file which passes all checks may be called damaged, before it is believed. */
const MAX_SUSPICIONS = 2;
/** How often a job is tried on a file that was opened again. */
const ATTEMPTS = 3;

export class IndexStore {
  readonly troubles = new Troubles();
  readonly #options: IndexStoreOptions;
  readonly #queue: WriteQueue;
  readonly #reads: SharedRead;
  readonly #watch: FileWatch;
  #file: IndexFile;
  #writers: IndexWriters;
  #reopenedAt: number;
  #rebuilds = 0;
  #suspicions = 0;
  /** Openings that are asked for or under way. */
  #openings = 0;
  #generation = 0;
  #isClosed = false;

  private constructor(options: IndexStoreOptions, file: IndexFile) {
    this.#options = options;
    this.#queue = new WriteQueue(options.clock);
    this.#reads = new SharedRead(options.driver, file, (error) => this.#onReadError(error));
    this.#watch = new FileWatch(options.clock);
    this.#file = file;
    this.#writers = createIndexWriters(file);
    this.#reopenedAt = options.clock.monotonic();
  }

  /** Never rejects for what is on the disk: the last resort is an index in memory. */
  static async open(options: IndexStoreOptions): Promise<IndexStore> {
    const { file, failure } = await openSomewhere(options, null);
    const store = new IndexStore(options, file);
    noteFile(store.troubles, options, file, failure);
    return store;
  }

  get file(): IndexFile {
    return this.#file;
  }

  /** How often the index was emptied or replaced while in use. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the index was found wanting, and is not open again yet: what is read meanwhile may be old, or nothing. */
  get isReopening(): boolean {
    return this.#openings > 0;
  }

  /**
   * Runs `job` in a write transaction, after those asked for before it. It may run again, also on another file, so it
   * must find everything it needs inside.
   * @throws SqliteError when the lock was not to be had, or the file cannot be written
   */
  async write<T>(job: (writers: IndexWriters) => T): Promise<T> {
    return this.#enqueue(() =>
      transaction(this.#writers.database, () => {
        if (!hasCurrentLayout(this.#writers.database)) throw new ReplacedError("layout");
        return job(this.#writers);
      }),
    );
  }

  /** Moves what the write-ahead log holds into the file, as far as no reader needs it. A slice of its own. */
  async checkpoint(mode: "PASSIVE" | "TRUNCATE" = "PASSIVE"): Promise<void> {
    if (this.#file.journal !== "wal" || this.#file.path === null) return;
    await flushLog(this.#file.path);
    await this.#enqueue(() => {
      this.#writers.database.all(sql`PRAGMA wal_checkpoint(${sql.constant(mode)})`);
    });
  }

  /** A short read on the writing connection, outside of a transaction: it sees all that was written. */
  query<T>(read: (database: Database) => T): Promise<T> {
    return retryWhileBusy(this.#options.clock, LOCK_PATIENCE_MS, () => this.peek(read));
  }

  /** Like `query`, for those who cannot wait. @throws SqliteError "busy" too */
  peek<T>(read: (database: Database) => T): T {
    try {
      return read(this.#writers.database);
    } catch (error) {
      this.#onReadError(error);
      throw error;
    }
  }

  /** Looks for the file, and resolves when the index is open. Never rejects. */
  async whenOpen(): Promise<void> {
    this.#lookAtFile();
    if (this.isReopening) await this.#queue.drain();
  }

  /** The reading connection, inside a transaction that all reads share until the last `endRead`. */
  beginRead(): Database {
    this.#lookAtFile();
    const database = this.#reads.begin();
    try {
      // Also takes the snapshot: what fails for a lock fails here.
      if (hasCurrentLayout(database)) return database;
    } catch (error) {
      this.#reads.end();
      throw error;
    }
    this.#reads.end();
    this.#reopenSoon(null);
    throw new SqliteError(
      "busy",
      "Another version of this plugin has replaced the search index. Try again in a moment.",
    );
  }

  endRead(): void {
    this.#reads.end();
  }

  readConnection(): Database {
    this.#lookAtFile();
    return this.#reads.connection();
  }

  /** Tries to get from memory back to a file, now and then. */
  async heal(): Promise<void> {
    const isDue = this.#options.clock.monotonic() - this.#reopenedAt >= REOPEN_MS;
    if (this.#file.path === null && isDue && !this.#isClosed) await this.#queue.run(() => this.#reopen(null));
  }

  /** Ends what was asked for, and closes the file. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#queue.drain();
    this.#reads.close();
    closeQuietly(this.#writers.database);
  }

  async #enqueue<T>(attempt: () => T): Promise<T> {
    if (this.#isClosed) throw new SqliteError("misuse", "The index is closed.");
    return this.#queue.run(async () => {
      for (let tries = 1; ; tries += 1) {
        try {
          return this.#attempt(attempt);
        } catch (error) {
          if (tries === ATTEMPTS || !(error instanceof ReplacedError || isDamage(error))) throw error;
          await this.#reopen(isDamage(error) ? error : null);
        }
      }
    });
  }

  #attempt<T>(attempt: () => T): T {
    if (this.#watch.isReplaced(this.#file)) throw new ReplacedError("file");
    if (this.#file.journal === "memory" && this.#reads.isActive) {
      throw new SqliteError("busy", "A search reads the only connection.");
    }
    try {
      const result = attempt();
      this.troubles.clear("write");
      return result;
    } catch (error) {
      const failure = describeFailure(error);
      if (failure !== null) this.troubles.note("write", `The search index cannot be written: ${failure}.`);
      throw error;
    }
  }

  #lookAtFile(): void {
    // A connection is opened by the file's name: it must not make a file, or read another than is written.
    if (!this.#reads.isOpen) this.#watch.lookAgain();
    if (this.#watch.isReplaced(this.#file)) this.#reopenSoon(null);
  }

  #onReadError(error: unknown): void {
    if (isDamage(error)) this.#reopenSoon(error);
  }

  /** For callers that cannot wait: what they read may still come from the old file. */
  #reopenSoon(damage: SqliteError | null): void {
    if (this.isReopening || this.#isClosed) return;
    this.#openings += 1;
    const reopened = this.#queue.run(() => this.#reopen(damage));
    reopened
      .catch((error: unknown) =>
        this.#options.log.error("The search index cannot be opened.", { reason: String(error) }),
      )
      .finally(() => {
        this.#openings -= 1;
      });
  }

  async #reopen(damage: SqliteError | null): Promise<void> {
    this.#openings += 1;
    try {
      await this.#openAgain(damage);
    } finally {
      this.#openings -= 1;
    }
  }

  async #openAgain(damage: SqliteError | null): Promise<void> {
    const { log, onRebuilt, clock } = this.#options;
    const old = this.#file;
    this.#reopenedAt = clock.monotonic();
    if (old.path !== null) closeQuietly(old.writer);
    this.#reads.close();
    if (damage !== null) this.#suspicions += 1;
    const damaged = this.#suspicions > MAX_SUSPICIONS ? old.identity : null;
    const { file, failure } =
      this.#rebuilds > MAX_REBUILDS
        ? { file: openInMemory(this.#options.driver), failure: damage }
        : await openSomewhere(this.#options, damaged);
    if (old.path === null && file.path === null) {
      closeQuietly(file.writer);
      return;
    }
    if (old.path === null) closeQuietly(old.writer);
    this.#file = file;
    this.#writers = createIndexWriters(file);
    this.#reads.moveTo(file);
    noteFile(this.troubles, this.#options, file, failure);
    log.info("The search index was opened again.", { reason: damage?.message ?? "replaced", path: file.path });
    // Only the identity would not do: a new file may get the number of the one that was deleted.
    const isSame = damage !== null && !file.isNew && file.identity === old.identity;
    if (isSame) return;
    this.#suspicions = 0;
    if (damage !== null) this.#rebuilds += 1;
    this.#generation += 1;
    onRebuilt();
  }
}
