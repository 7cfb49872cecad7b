/** Driver: the SQLite that this runtime can load. */

import { messageOf } from "../runtime/error-message.ts";
import { loadBetterSqlite3Driver } from "./better-sqlite3.ts";
import { loadBunDriver } from "./bun.ts";
import type { SqliteDriver } from "./database.ts";
import { loadNodeDriver } from "./node.ts";

/** No SQLite can be loaded here. The message names what was tried and what would help. */
export class NoSqliteError extends Error {
  constructor(attempts: readonly string[], cause: unknown) {
    super(
      `No SQLite can be loaded in this runtime. Tried ${attempts.join("; ")}. ` +
        "Run OpenCode's own binary, or a host on Node 22.13 or newer, or install better-sqlite3 beside this plugin.",
      { cause },
    );
    this.name = "NoSqliteError";
  }
}

export interface DriverCandidate {
  readonly name: SqliteDriver["name"];
  /** Gives null where this runtime does not have it. */
  readonly load: () => Promise<SqliteDriver | null> | SqliteDriver | null;
}

/** bun:sqlite comes first: better-sqlite3 cannot load in Bun, and not every Bun has node:sqlite. */
const CANDIDATES: readonly DriverCandidate[] = [
  { name: "bun:sqlite", load: loadBunDriver },
  { name: "node:sqlite", load: loadNodeDriver },
  { name: "better-sqlite3", load: () => loadBetterSqlite3Driver() },
];

/**
 * Loads the first driver that works here; prints nothing.
 * @throws NoSqliteError
 */
export async function loadDriver(candidates: readonly DriverCandidate[] = CANDIDATES): Promise<SqliteDriver> {
  const attempts: string[] = [];
  let cause: unknown;
  for (const { name, load } of candidates) {
    try {
      const driver = await load();
      if (driver !== null) return driver;
      attempts.push(`${name} (not there)`);
    } catch (error) {
      cause = error;
      attempts.push(`${name} (${messageOf(error)})`);
    }
  }
  throw new NoSqliteError(attempts, cause);
}
