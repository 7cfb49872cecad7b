/** better-sqlite3, the driver where neither runtime has SQLite of its own: Node 20, and there an optional package. */

import { createRequire } from "node:module";

import type { Database, OpenOptions, SqliteDriver } from "./database.ts";
import { type NativeConnection, type NativeStatement, openPrepared, readVersion } from "./prepared-database.ts";

/** The slice of better-sqlite3 that is used here. */
type BetterSqlite3 = new (
  path: string,
  options: { readonly readonly: boolean; readonly timeout: number },
) => {
  prepare(text: string): NativeStatement & { readonly reader: boolean };
  exec(text: string): unknown;
  close(): unknown;
  readonly inTransaction: boolean;
};

function connect(Native: BetterSqlite3, { path, readOnly, busyTimeoutMs }: OpenOptions): NativeConnection {
  const native = new Native(path, { readonly: readOnly, timeout: busyTimeoutMs });
  return {
    prepare: (text) => native.prepare(text),
    exec: (text) => native.exec(text),
    close: () => native.close(),
    get inTransaction() {
      return native.inTransaction;
    },
  };
}

function isConstructor(module: unknown): module is BetterSqlite3 {
  return typeof module === "function";
}

/**
 * @param require where to look for the package; by default from where this product is installed
 * @returns null when the package is not installed
 * @throws when it is installed and cannot be loaded (built for another Node, for instance)
 */
export function loadBetterSqlite3Driver(
  require: (id: string) => unknown = createRequire(import.meta.url),
): SqliteDriver | null {
  let native: unknown;
  try {
    native = require("better-sqlite3");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
  if (!isConstructor(native)) throw new TypeError("better-sqlite3 does not export its Database class.");
  const constructor = native;
  const open = (options: OpenOptions): Database => openPrepared(options, () => connect(constructor, options));
  return { name: "better-sqlite3", sqliteVersion: readVersion(open), open };
}
