/**
 * Prepared database: the port's `Database` over a driver's own connection, with everything that drivers do differently
 * made alike in one place: parameters checked, statements cached, errors translated.
 */

import {
  type Database,
  type OpenOptions,
  SqliteError,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from "./database.ts";
import { toSqliteError } from "./error-code.ts";

/** A driver's prepared statement. Rows of a statement are read with `all` or `iterate`, never both at once. */
export interface NativeStatement {
  all(...parameters: readonly SqlValue[]): SqlRow[];
  run(...parameters: readonly SqlValue[]): { readonly changes: number | bigint };
  iterate(...parameters: readonly SqlValue[]): IterableIterator<SqlRow>;
  /** Frees the statement at once, where a driver can; the garbage collector does it elsewhere. */
  finalize?(): void;
}

/** A driver's connection. */
export interface NativeConnection {
  prepare(text: string): NativeStatement;
  exec(text: string): unknown;
  close(): unknown;
  readonly inTransaction: boolean;
}

/** Statements kept for their text. Queries of varying length (`IN (?, ?, …)`) must not grow it without end. */
const CACHED_STATEMENTS = 256;

/** SQLite waits for a lock by sleeping, and the host's interface sleeps with it. */
const MAX_BUSY_TIMEOUT_MS = 5;

const QUOTED_OR_COMMENT = /'[^']*'|"[^"]*"|--[^\n]*/gu;

interface CachedStatement {
  readonly native: NativeStatement;
  readonly placeholders: number;
}

function countPlaceholders(text: string): number {
  return text.replace(QUOTED_OR_COMMENT, "").split("?").length - 1;
}

function isBindable(value: unknown): boolean {
  return (
    value === null ||
    typeof value === "string" ||
    typeof value === "bigint" ||
    Number.isFinite(value) ||
    value instanceof Uint8Array
  );
}

export class PreparedDatabase implements Database {
  readonly #connection: NativeConnection;
  readonly #statements = new Map<string, CachedStatement>();
  #closed = false;

  constructor(connection: NativeConnection) {
    this.#connection = connection;
  }

  get inTransaction(): boolean {
    return !this.#closed && this.#connection.inTransaction;
  }

  all(statement: SqlStatement): SqlRow[] {
    return this.#use(statement, (native) => native.all(...statement.parameters));
  }

  run(statement: SqlStatement): { readonly changes: number } {
    return this.#use(statement, (native) => ({ changes: Number(native.run(...statement.parameters).changes) }));
  }

  *iterate(statement: SqlStatement): IterableIterator<SqlRow> {
    // Taken out of the cache for as long as the loop runs: the same text used inside the loop gets its own statement.
    const taken = this.#take(statement);
    let ended = false;
    try {
      yield* taken.native.iterate(...statement.parameters);
      ended = true;
    } catch (error) {
      throw toSqliteError(error);
    } finally {
      // Bun does not reset a statement whose loop was left: the next loop would go on where this one stopped.
      if (ended || taken.native.finalize === undefined) this.#giveBack(statement.text, taken);
      else taken.native.finalize();
    }
  }

  exec(text: string): void {
    this.#assertOpen();
    try {
      this.#connection.exec(text);
    } catch (error) {
      throw toSqliteError(error);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { native } of this.#statements.values()) native.finalize?.();
    this.#statements.clear();
    try {
      this.#connection.close();
    } catch (error) {
      throw toSqliteError(error);
    }
  }

  #use<T>(statement: SqlStatement, use: (native: NativeStatement) => T): T {
    const taken = this.#take(statement);
    try {
      return use(taken.native);
    } catch (error) {
      throw toSqliteError(error);
    } finally {
      this.#giveBack(statement.text, taken);
    }
  }

  #take({ text, parameters }: SqlStatement): CachedStatement {
    this.#assertOpen();
    const bad = parameters.findIndex((value) => !isBindable(value));
    if (bad !== -1) {
      throw new SqliteError("misuse", `Parameter ${bad + 1} is ${typeof parameters[bad]}, which SQLite cannot store.`);
    }
    const cached = this.#statements.get(text) ?? this.#prepare(text);
    this.#statements.delete(text);
    if (cached.placeholders !== parameters.length) {
      this.#giveBack(text, cached);
      throw new SqliteError(
        "misuse",
        `The statement has ${cached.placeholders} placeholders and got ${parameters.length} parameters: ${text}`,
      );
    }
    return cached;
  }

  #prepare(text: string): CachedStatement {
    try {
      return { native: this.#connection.prepare(text), placeholders: countPlaceholders(text) };
    } catch (error) {
      throw toSqliteError(error);
    }
  }

  #giveBack(text: string, statement: CachedStatement): void {
    if (this.#closed || this.#statements.has(text)) {
      statement.native.finalize?.();
      return;
    }
    this.#statements.set(text, statement);
    if (this.#statements.size <= CACHED_STATEMENTS) return;
    // A Map keeps the order of insertion, and use re-inserts: the first entry is the one unused for longest.
    for (const [oldest, { native }] of this.#statements) {
      this.#statements.delete(oldest);
      native.finalize?.();
      break;
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new SqliteError("misuse", "The database is closed.");
  }
}

/** Opens a driver's connection with the settings that drivers choose differently. */
export function openPrepared({ busyTimeoutMs }: OpenOptions, connect: () => NativeConnection): Database {
  if (!(busyTimeoutMs >= 0 && busyTimeoutMs <= MAX_BUSY_TIMEOUT_MS)) {
    throw new SqliteError("misuse", `busyTimeoutMs is ${busyTimeoutMs}; it must lie between 0 and 5.`);
  }
  try {
    const database = new PreparedDatabase(connect());
    database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}; PRAGMA foreign_keys = 1`);
    return database;
  } catch (error) {
    const refusal = toSqliteError(error);
    // better-sqlite3 looks for the folder itself, and calls a missing one a TypeError.
    if (refusal.code !== "misuse") throw refusal;
    throw new SqliteError("cannot-open", refusal.message, { cause: error });
  }
}

/** The version of the SQLite library that a driver opens databases with. */
export function readVersion(open: (options: OpenOptions) => Database): string {
  const memory = open({ path: ":memory:", readOnly: false, busyTimeoutMs: 0 });
  try {
    return String(memory.all({ text: "SELECT sqlite_version() AS version", parameters: [] })[0]?.["version"]);
  } finally {
    memory.close();
  }
}
