import { describe, expect, it } from "vitest";

import { SqliteError } from "../../src/sqlite/database.ts";
import { sqliteErrorCode, toSqliteError } from "../../src/sqlite/error-code.ts";

const failure = (fields: object) => Object.assign(new Error("refused"), fields);

/** The same refusals as better-sqlite3, node:sqlite and bun:sqlite report them. */
const table: readonly (readonly [string, unknown, string])[] = [
  ["better-sqlite3: locked", failure({ code: "SQLITE_BUSY" }), "busy"],
  ["better-sqlite3: locked after a read", failure({ code: "SQLITE_BUSY_SNAPSHOT" }), "busy"],
  ["better-sqlite3: locked by ourselves", failure({ code: "SQLITE_LOCKED" }), "busy"],
  ["better-sqlite3: a table of FTS5 is damaged", failure({ code: "SQLITE_CORRUPT_VTAB" }), "corrupt"],
  ["better-sqlite3: a plain error", failure({ code: "SQLITE_ERROR" }), "other"],
  ["better-sqlite3: its own refusal", new TypeError("The supplied SQL string contains no statements"), "misuse"],
  ["better-sqlite3: too many parameters", new RangeError("Too many parameter values were provided"), "misuse"],
  ["node:sqlite: locked", failure({ code: "ERR_SQLITE_ERROR", errcode: 5 }), "busy"],
  ["node:sqlite: not unique", failure({ code: "ERR_SQLITE_ERROR", errcode: 2067 }), "constraint"],
  ["node:sqlite: file moved away", failure({ code: "ERR_SQLITE_ERROR", errcode: 1032 }), "read-only"],
  ["node:sqlite: bad argument", Object.assign(new TypeError("bind"), { code: "ERR_INVALID_ARG_TYPE" }), "misuse"],
  ["bun:sqlite: locked", failure({ code: "SQLITE_BUSY", errno: 5 }), "busy"],
  ["bun:sqlite: a write that failed", failure({ code: "SQLITE_IOERR_WRITE", errno: 778 }), "io"],
  ["bun:sqlite: a file that was cut", failure({ code: "SQLITE_IOERR_SHORT_READ", errno: 522 }), "corrupt"],
  ["node:sqlite: a file that was cut", failure({ code: "ERR_SQLITE_ERROR", errcode: 522 }), "corrupt"],
  ["better-sqlite3: a file that was cut", failure({ code: "SQLITE_IOERR_SHORT_READ" }), "corrupt"],
  ["bun:sqlite: no database", failure({ code: "SQLITE_NOTADB", errno: 26 }), "not-a-database"],
  ["bun:sqlite: cannot open", failure({ code: "SQLITE_CANTOPEN", errno: 14 }), "cannot-open"],
  ["bun:sqlite: disk full", failure({ code: "SQLITE_FULL", errno: 13 }), "full"],
  ["bun:sqlite: locking protocol", failure({ code: "SQLITE_PROTOCOL", errno: 15 }), "locking-protocol"],
  ["bun:sqlite: an errno of 0 for a syntax error", failure({ code: "SQLITE_ERROR", errno: 1 }), "other"],
  ["the file system's error", failure({ code: "EACCES", errno: -13 }), "other"],
  ["no error at all", "text", "other"],
  ["one that was translated already", new SqliteError("full", "x"), "full"],
];

describe("error code", () => {
  it.each(table)("%s", (_name, error, code) => {
    expect(sqliteErrorCode(error)).toBe(code);
    expect(toSqliteError(error)).toMatchObject({ name: "SqliteError", code });
  });

  it("keeps the message, and the driver's error as the cause", () => {
    const error = failure({ code: "SQLITE_FULL" });
    expect(toSqliteError(error)).toMatchObject({ message: "refused", cause: error });
    expect(toSqliteError("text").message).toBe("text");
    const translated = new SqliteError("busy", "again");
    expect(toSqliteError(translated)).toBe(translated);
  });
});
