/**
 * Database port: the slice of SQLite that the product uses, the same over bun:sqlite, node:sqlite and better-sqlite3.
 * Drivers differ (toolchain notes): the port levels nulls, busy errors, pragmas and row shapes; callers pass only
 * strings, finite numbers, bigints, null and Uint8Array, and plain `?` placeholders.
 */

export type SqlValue = string | number | bigint | null | Uint8Array;

/** SQL text with its parameters: one value, never two arrays kept in step by hand. */
export interface SqlStatement {
  readonly text: string;
  readonly parameters: readonly SqlValue[];
}

export type SqlRow = Readonly<Record<string, SqlValue>>;

export type SqliteErrorCode =
  | "busy"
  /** The file system cannot hold the locks of a write-ahead log (seen on WSL 1). */
  | "locking-protocol"
  | "corrupt"
  | "not-a-database"
  | "read-only"
  | "full"
  | "io"
  | "cannot-open"
  | "constraint"
  | "misuse"
  | "other";

/** A statement that SQLite refused. `code` is the same for every driver; the driver's own error is the cause. */
export class SqliteError extends Error {
  readonly code: SqliteErrorCode;
  constructor(code: SqliteErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SqliteError";
    this.code = code;
  }
}

export interface Database {
  /** Every row. Statements are prepared once and cached by their text. */
  all(statement: SqlStatement): SqlRow[];
  /** Rows one at a time; leaving the loop early frees the statement. */
  iterate(statement: SqlStatement): IterableIterator<SqlRow>;
  /** Runs a statement that returns no rows; `changes` is what the last write changed. */
  run(statement: SqlStatement): { readonly changes: number };
  /** Runs statements without parameters, separated by semicolons: schema and pragmas. */
  exec(text: string): void;
  readonly inTransaction: boolean;
  close(): void;
}

export interface OpenOptions {
  /** File path, or ":memory:". */
  readonly path: string;
  readonly readOnly: boolean;
  /** Milliseconds that a statement may block the event loop waiting for a lock; at most 5. */
  readonly busyTimeoutMs: number;
}

export interface SqliteDriver {
  readonly name: "bun:sqlite" | "node:sqlite" | "better-sqlite3";
  /** The version of the SQLite library behind the driver, such as "3.53.0". */
  readonly sqliteVersion: string;
  /** @throws SqliteError */
  open(options: OpenOptions): Database;
}
