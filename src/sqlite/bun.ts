/** bun:sqlite, the driver inside the OpenCode binary. On macOS it is the system's library, which may be years old. */

import type { Database, OpenOptions, SqliteDriver } from "./database.ts";
import { type NativeConnection, openPrepared, readVersion } from "./prepared-database.ts";

type BunSqlite = typeof import("bun:sqlite");

function connect(sqlite: BunSqlite, { path, readOnly }: OpenOptions): NativeConnection {
  // Bun reads an empty options object as "read-only": the flags are always given.
  const native = new sqlite.Database(path, readOnly ? { readonly: true } : { readwrite: true, create: true });
  return {
    // `prepare`, not `query`: the latter would cache statements by their text a second time.
    prepare: (text) => native.prepare(text),
    exec: (text) => native.exec(text),
    close: () => native.close(),
    get inTransaction() {
      return native.inTransaction;
    },
  };
}

/** @returns null outside of Bun */
export async function loadBunDriver(): Promise<SqliteDriver | null> {
  if (process.versions["bun"] === undefined) return null;
  // Imported on demand: a static import would keep the bundle from loading anywhere but in Bun.
  const sqlite: BunSqlite = await import("bun:sqlite");
  const open = (options: OpenOptions): Database => openPrepared(options, () => connect(sqlite, options));
  return { name: "bun:sqlite", sqliteVersion: readVersion(open), open };
}
