/** node:sqlite, the driver in Node and Electron hosts: there from Node 22.13, and from 22.5 behind a flag. */

import type { Database, OpenOptions, SqliteDriver } from "./database.ts";
import { type NativeConnection, type NativeStatement, openPrepared, readVersion } from "./prepared-database.ts";

/** The slice of node:sqlite that is used here: https://nodejs.org/docs/latest-v24.x/api/sqlite.html */
interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean },
  ) => {
    prepare(text: string): NativeStatement;
    exec(text: string): void;
    close(): void;
    /** From Node 22.16. */
    readonly isTransaction?: boolean;
  };
}

function isNodeSqlite(module: object | undefined): module is NodeSqlite {
  return module !== undefined && "DatabaseSync" in module;
}

/**
 * Node warns on stderr that its SQLite is experimental, once, when the module is loaded. In a host with a terminal
 * interface that line lands in the middle of the screen; so this one warning is dropped, and no other.
 */
function withoutSqliteWarning<T>(load: () => T): T {
  const emitWarning: unknown = Reflect.get(process, "emitWarning");
  Reflect.set(process, "emitWarning", (...warning: readonly unknown[]) => {
    const isSqlite = warning[1] === "ExperimentalWarning" && String(warning[0]).includes("SQLite");
    if (!isSqlite && typeof emitWarning === "function") Reflect.apply(emitWarning, process, warning);
  });
  try {
    return load();
  } finally {
    Reflect.set(process, "emitWarning", emitWarning);
  }
}

function connect(sqlite: NodeSqlite, { path, readOnly }: OpenOptions): NativeConnection {
  const native = new sqlite.DatabaseSync(path, { readOnly });
  const canBegin = () => {
    try {
      native.exec("BEGIN; ROLLBACK");
      return true;
    } catch {
      return false;
    }
  };
  return {
    prepare: (text) => native.prepare(text),
    exec: (text) => native.exec(text),
    close: () => native.close(),
    get inTransaction() {
      return native.isTransaction ?? !canBegin();
    },
  };
}

/** @returns null where this Node has no SQLite of its own */
export function loadNodeDriver(): SqliteDriver | null {
  // Not imported: bundlers and older Nodes would fail on the name alone.
  const sqlite: object | undefined = withoutSqliteWarning(() => process.getBuiltinModule("node:sqlite"));
  if (!isNodeSqlite(sqlite)) return null;
  const open = (options: OpenOptions): Database => openPrepared(options, () => connect(sqlite, options));
  return { name: "node:sqlite", sqliteVersion: readVersion(open), open };
}
