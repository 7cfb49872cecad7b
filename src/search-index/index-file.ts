/** Index file: the one place where the index lies on disk, opened, sound, of our layout, and ready to be written. */

import { join } from "node:path";

import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { type Database, SqliteError, type SqliteDriver } from "../sqlite/database.ts";
import { sql } from "../sqlite/sql.ts";
import { fileIdentity, networkFileSystem, prepareFile, prepareFolder, setAside } from "./index-folder.ts";
import { checkTables } from "./layout-check.ts";
import { establishLayout, hasTrigrams, type Layout, readLayout } from "./layout.ts";
import { whileOpening } from "./opening-lock.ts";
import { LAYOUT_VERSION } from "./schema.ts";
import { retryWhileBusy } from "./write-queue.ts";

export interface IndexFile {
  /** null when the index lives in memory only. */
  readonly path: string | null;
  /** Which file was opened (index-folder.ts); null in memory. */
  readonly identity: string | null;
  readonly writer: Database;
  /**
   * "wal": readers and the writer do not disturb each other. "rollback": an open read transaction keeps every writer
   * waiting, so that nobody may yield inside one. "memory": there is one connection for all.
   */
  readonly journal: "wal" | "rollback" | "memory";
  readonly hasPostings: boolean;
  /** Whether it was made just now: it holds nothing. */
  readonly isNew: boolean;
}

export interface IndexFileOptions {
  readonly driver: SqliteDriver;
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** The number of the file system the folder lies on; null when unknown. */
  readonly fileSystemType: (directory: string) => number | null;
  /** Milliseconds to wait for others that hold the file. */
  readonly patienceMs: number;
}

/** A statement blocks the event loop for as long as it waits: hardly at all. */
const BUSY_TIMEOUT_MS = 2;
/** Beside a file that is not ours to touch; more than a few of those is somebody's joke. */
const ALTERNATIVES = 3;
/** Kilobytes of pages that the writing connection keeps in memory. */
const WRITER_CACHE_KB = 4096;

const DAMAGE: ReadonlySet<string> = new Set(["corrupt", "not-a-database"]);

/** Whether an error says that the file is no sound database. */
export function isDamage(error: unknown): error is SqliteError {
  return error instanceof SqliteError && DAMAGE.has(error.code);
}

/**
 * Opens the index file, making it when there is none.
 * @param damaged the identity of a file that turned out to be damaged: it is set aside if it still stands there
 * @throws SqliteError or the file system's error when no file can be opened here
 */
export async function openIndexFile(options: IndexFileOptions, damaged: string | null = null): Promise<IndexFile> {
  prepareFolder(options.directory);
  return whileOpening(options, async () => {
    for (const path of candidates(options)) {
      const file = await openSound(options, path, damaged);
      if (file !== null) return file;
    }
    throw new SqliteError("cannot-open", `Every file name for the index in ${options.directory} is taken by others.`);
  });
}

/** An index that is gone with the process: for when there is nowhere to write. */
export function openInMemory(driver: SqliteDriver): IndexFile {
  const writer = driver.open({ path: ":memory:", readOnly: false, busyTimeoutMs: 0 });
  const hasPostings = hasTrigrams(writer);
  writer.exec(`PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${WRITER_CACHE_KB}`);
  establishLayout(writer, hasPostings);
  return { path: null, identity: null, writer, journal: "memory", hasPostings, isNew: true };
}

function candidates({ driver, directory }: IndexFileOptions): string[] {
  const memory = driver.open({ path: ":memory:", readOnly: false, busyTimeoutMs: 0 });
  // A file without postings is another file: a host that keeps them must never find some missing.
  const name = hasTrigrams(memory) ? "index-v1" : "index-v1-scan";
  memory.close();
  const alternatives = Array.from(
    { length: ALTERNATIVES },
    (_, n) => `${name}-${LAYOUT_VERSION}${n === 0 ? "" : `-${n + 1}`}`,
  );
  return [name, ...alternatives].map((stem) => join(directory, `${stem}.sqlite`));
}

/** Opens a file, after setting it aside when it is damaged; null when it is not ours to touch. */
async function openSound(options: IndexFileOptions, path: string, damaged: string | null): Promise<IndexFile | null> {
  if (damaged !== null && fileIdentity(path) === damaged) setAside(path);
  try {
    return await openOurs(options, path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    options.log.warn("The search index was damaged. It is set aside and built again.", { path, reason: error.message });
    setAside(path);
    return openOurs(options, path);
  }
}

async function openOurs(options: IndexFileOptions, path: string): Promise<IndexFile | null> {
  const { driver, clock, patienceMs, log } = options;
  prepareFile(path);
  const writer = driver.open({ path, readOnly: false, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    const found = await retryWhileBusy(clock, patienceMs, () => readLayout(writer));
    if (found === "newer" || found === "foreign") {
      log.warn("The index file belongs to another version or program and is left alone.", { path, found });
      writer.close();
      return null;
    }
    return await prepare(options, path, writer);
  } catch (error) {
    closeQuietly(writer);
    throw error;
  }
}

async function prepare(options: IndexFileOptions, path: string, writer: Database): Promise<IndexFile | null> {
  const { clock, patienceMs } = options;
  const hasPostings = hasTrigrams(writer);
  const network = networkFileSystem(options.fileSystemType(options.directory));
  const journal = await retryWhileBusy(clock, patienceMs, () => setJournal(writer, network));
  writer.exec(`PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${WRITER_CACHE_KB};
    PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 16777216; PRAGMA secure_delete = ON`);
  const found: Layout = await retryWhileBusy(clock, patienceMs, () => establishLayout(writer, hasPostings));
  if (found === "current") await retryWhileBusy(clock, patienceMs, () => checkTables(writer, hasPostings));
  return {
    path,
    identity: fileIdentity(path),
    writer,
    journal,
    hasPostings,
    isNew: found !== "current",
  };
}

/** Chooses the write-ahead log where its locks and shared memory work. */
function setJournal(writer: Database, network: string | null): "wal" | "rollback" {
  const ask = (mode: "WAL" | "TRUNCATE") =>
    writer.all(sql`PRAGMA journal_mode = ${sql.constant(mode)}`)[0]?.["journal_mode"];
  if (network === null) {
    try {
      // The first read is what needs the shared memory, not the setting.
      if (ask("WAL") === "wal" && readLayout(writer)) return "wal";
    } catch (error) {
      const isUnsupported = error instanceof SqliteError && ["locking-protocol", "io"].includes(error.code);
      if (!isUnsupported) throw error;
    }
  }
  return ask("TRUNCATE") === "wal" ? "wal" : "rollback";
}

export function closeQuietly(database: Database): void {
  try {
    database.close();
  } catch {
    // A damaged file can fail even at closing; the connection is gone either way.
  }
}
