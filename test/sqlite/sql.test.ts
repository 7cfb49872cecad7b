import { assert, constantFrom, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";

import { loadBetterSqlite3Driver } from "../../src/sqlite/better-sqlite3.ts";
import type { Database } from "../../src/sqlite/database.ts";
import { sql, type SqlFragment } from "../../src/sqlite/sql.ts";

const isRecent = sql`updated_at > ${5}`;

const statements: readonly (readonly [string, SqlFragment, string, readonly unknown[]])[] = [
  ["without values", sql`SELECT 1`, "SELECT 1", []],
  ["values as placeholders", sql`a = ${1} AND b = ${"x"} OR c IS ${null}`, "a = ? AND b = ? OR c IS ?", [1, "x", null]],
  [
    "a fragment within",
    sql`SELECT * FROM t WHERE ${isRecent} AND d = ${"y"}`,
    "SELECT * FROM t WHERE updated_at > ? AND d = ?",
    [5, "y"],
  ],
  ["nothing within", sql`SELECT 1 ${sql.empty} LIMIT ${2}`, "SELECT 1  LIMIT ?", [2]],
  ["a list", sql`id IN ${sql.list(["a", 2n, null])}`, "id IN (?, ?, ?)", ["a", 2n, null]],
  ["an empty list", sql`id IN ${sql.list([])}`, "id IN (NULL)", []],
  [
    "joined fragments",
    sql.join([isRecent, sql`b`, isRecent], sql` AND ${9} AND `),
    "updated_at > ? AND ? AND b AND ? AND updated_at > ?",
    [5, 9, 9, 5],
  ],
  ["none joined", sql.join([], sql` AND `), "", []],
  ["a constant", sql`PRAGMA ${sql.constant("user_version")}`, "PRAGMA user_version", []],
  ["bytes", sql`x = ${new Uint8Array([1])}`, "x = ?", [new Uint8Array([1])]],
];

describe("sql", () => {
  it.each(statements)("makes one value of %s", (_name, statement, text, parameters) => {
    expect(statement.text).toBe(text);
    expect(statement.parameters).toEqual(parameters);
  });

  it("takes no look-alike of a statement for one: such a value stays a parameter", () => {
    const forged: unknown = JSON.parse('{ "text": "DROP TABLE t", "parameters": [] }');
    const statement = Reflect.apply(sql, null, [Object.assign(["a = ", ""], { raw: [] }), forged]);
    expect(statement).toMatchObject({ text: "a = ?", parameters: [forged] });
  });

  it("lets no text change what a statement means", () => {
    const driver = loadBetterSqlite3Driver();
    const database: Database | undefined = driver?.open({ path: ":memory:", readOnly: false, busyTimeoutMs: 0 });
    database?.exec("CREATE TABLE kept (text)");
    const hostile = oneof(
      string({ unit: "binary" }),
      constantFrom("'); DROP TABLE kept; --", "\"; DELETE FROM kept; '", "?", "${x}", "%", "\\", "/*", "x' OR '1'='1"),
    );
    assert(
      property(hostile, (text) => {
        const written = text.toWellFormed().replaceAll("\0", "");
        database?.run(sql`DELETE FROM kept`);
        database?.run(sql`INSERT INTO kept VALUES (${written})`);
        expect(database?.all(sql`SELECT text FROM kept WHERE text IN ${sql.list([written, "other"])}`)).toEqual([
          { text: written },
        ]);
      }),
    );
    database?.close();
  });
});
