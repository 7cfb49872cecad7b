/**
 * Error code: what SQLite said, read from the error of whichever driver.
 *
 * better-sqlite3 gives `code: "SQLITE_BUSY_SNAPSHOT"`, node:sqlite `errcode: 517`, bun:sqlite both `errno` and `code`.
 * Extended codes keep the primary one in their low byte: https://www.sqlite.org/rescode.html
 */

import { messageOf } from "../runtime/error-message.ts";
import { SqliteError, type SqliteErrorCode } from "./database.ts";

const BY_NAME: ReadonlyMap<string, SqliteErrorCode> = new Map([
  ["PERM", "cannot-open"],
  ["BUSY", "busy"],
  ["LOCKED", "busy"],
  ["READONLY", "read-only"],
  ["IOERR", "io"],
  ["CORRUPT", "corrupt"],
  ["FULL", "full"],
  ["CANTOPEN", "cannot-open"],
  ["PROTOCOL", "locking-protocol"],
  ["CONSTRAINT", "constraint"],
  ["MISUSE", "misuse"],
  ["RANGE", "misuse"],
  ["NOTADB", "not-a-database"],
]);

/** Primary result codes by number, in the words of the table above. */
const NAME_BY_NUMBER: ReadonlyMap<number, string> = new Map([
  [3, "PERM"],
  [5, "BUSY"],
  [6, "LOCKED"],
  [8, "READONLY"],
  [10, "IOERR"],
  [11, "CORRUPT"],
  [13, "FULL"],
  [14, "CANTOPEN"],
  [15, "PROTOCOL"],
  [19, "CONSTRAINT"],
  [21, "MISUSE"],
  [25, "RANGE"],
  [26, "NOTADB"],
]);

/** SQLITE_IOERR_SHORT_READ: a file or log ends before it should. The disk is well, the file is not. */
const SHORT_READ = { number: 522, name: "SQLITE_IOERR_SHORT_READ" };

const NAME = /^SQLITE_(?<name>[A-Z]+)/u;

function resultName(error: Error): string | undefined {
  const number = [field(error, "errcode"), field(error, "errno")].find((value) => typeof value === "number");
  const code = field(error, "code");
  if (number === SHORT_READ.number || code === SHORT_READ.name) return "CORRUPT";
  if (typeof number === "number") return NAME_BY_NUMBER.get(number & 0xff);
  return typeof code === "string" ? NAME.exec(code)?.groups?.["name"] : undefined;
}

function field(error: Error, name: string): unknown {
  return Object.getOwnPropertyDescriptor(error, name)?.value;
}

/** The code of a driver's error; "other" for what SQLite reports as a plain error, "misuse" for a driver's own refusal. */
export function sqliteErrorCode(error: unknown): SqliteErrorCode {
  if (error instanceof SqliteError) return error.code;
  if (!(error instanceof Error)) return "other";
  const name = resultName(error);
  if (name !== undefined) return BY_NAME.get(name) ?? "other";
  return error instanceof TypeError || error instanceof RangeError ? "misuse" : "other";
}

/** Turns whatever a driver threw into the port's error, the original kept as its cause. */
export function toSqliteError(error: unknown): SqliteError {
  if (error instanceof SqliteError) return error;
  const message = messageOf(error);
  return new SqliteError(sqliteErrorCode(error), message, { cause: error });
}
