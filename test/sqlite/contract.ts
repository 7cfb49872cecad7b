/**
 * Contract: what every driver must do alike. Plain functions over node:assert, so that the same cases run in vitest
 * and in the host's own Bun, which has no vitest.
 */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Database, SqliteError, type SqliteErrorCode, type SqliteDriver } from "../../src/sqlite/database.ts";
import { sql } from "../../src/sqlite/sql.ts";
import { transaction } from "../../src/sqlite/transaction.ts";

export interface ContractCase {
  readonly name: string;
  /** @param directory an empty folder of this case's own */
  readonly run: (driver: SqliteDriver, directory: string) => void;
}

function withDatabase(driver: SqliteDriver, path: string, use: (database: Database) => void): void {
  const database = driver.open({ path, readOnly: false, busyTimeoutMs: 0 });
  try {
    use(database);
  } finally {
    database.close();
  }
}

function inMemory(use: (database: Database) => void): ContractCase["run"] {
  return (driver) => withDatabase(driver, ":memory:", use);
}

function refuses(code: SqliteErrorCode, act: () => unknown): void {
  assert.throws(act, (error) => {
    assert.ok(error instanceof SqliteError, `not a SqliteError: ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return true;
  });
}

function withNumbers(use: (database: Database) => void): ContractCase["run"] {
  return inMemory((database) => {
    database.exec("CREATE TABLE numbers (n INTEGER PRIMARY KEY, name TEXT)");
    for (const n of [1, 2, 3]) database.run(sql`INSERT INTO numbers VALUES (${n}, ${`number ${n}`})`);
    use(database);
  });
}

const values: ContractCase = {
  name: "gives back every kind of value as it went in",
  run: inMemory((database) => {
    database.exec("CREATE TABLE kept (a, b INTEGER, c TEXT, d BLOB, e, f)");
    const text = 'žluťoučký "kůň" 🤖 \u{1f468}\u200d\u{1f469} ?';
    const bytes = new Uint8Array([0, 1, 255]);
    database.run(sql`INSERT INTO kept VALUES (${null}, ${1_764_547_200_000}, ${text}, ${bytes}, ${1.5}, ${7n})`);
    const [row] = database.all(sql`SELECT * FROM kept`);
    assert.equal(row?.["a"], null);
    assert.equal(row["b"], 1_764_547_200_000);
    assert.equal(row["c"], text);
    assert.deepEqual([...(row["d"] instanceof Uint8Array ? row["d"] : [])], [...bytes]);
    assert.equal(row["e"], 1.5);
    assert.equal(row["f"], 7);
  }),
};

const fts: ContractCase = {
  name: "has FTS5 with a case-sensitive trigram tokenizer, contentless tables and vocabularies",
  run: inMemory((database) => {
    database.exec(`
      CREATE VIRTUAL TABLE words USING fts5 (text, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');
      CREATE VIRTUAL TABLE terms USING fts5vocab ('words', 'instance');
    `);
    database.run(sql`INSERT INTO words (rowid, text) VALUES (${16_777_216}, ${"deploy"})`);
    database.run(sql`INSERT INTO words (rowid, text) VALUES (${16_777_217}, ${"login"})`);
    assert.deepEqual(
      database.all(sql`SELECT rowid FROM words WHERE words MATCH ${'"log"'}`).map((row) => row["rowid"]),
      [16_777_217],
    );
    database.run(sql`INSERT INTO words (words, rowid, text) VALUES ('delete', ${16_777_217}, ${"login"})`);
    assert.equal(database.all(sql`SELECT rowid FROM words WHERE words MATCH ${'"log"'}`).length, 0);
    assert.equal(database.all(sql`SELECT doc FROM terms WHERE term >= ${"dep"} AND term < ${"deq"}`).length, 1);
  }),
};

export const contract: readonly ContractCase[] = [
  values,
  fts,
  {
    name: "names the version of its SQLite library, which is new enough",
    run(driver) {
      assert.match(driver.sqliteVersion, /^3\.\d+\.\d+$/u);
      assert.ok(Number(driver.sqliteVersion.split(".")[1]) >= 39, driver.sqliteVersion);
    },
  },
  {
    name: "reads no rows as an empty list",
    run: withNumbers((database) => {
      assert.deepEqual(database.all(sql`SELECT n FROM numbers WHERE n > ${9}`), []);
      assert.deepEqual([...database.iterate(sql`SELECT n FROM numbers WHERE n > ${9}`)], []);
    }),
  },
  {
    name: "says how many rows a write changed",
    run: withNumbers((database) => {
      assert.equal(database.run(sql`UPDATE numbers SET name = ${"x"} WHERE n >= ${2}`).changes, 2);
      assert.equal(database.run(sql`DELETE FROM numbers WHERE n = ${9}`).changes, 0);
    }),
  },
  {
    name: "reads row by row, and the loop may be left early",
    run: withNumbers((database) => {
      const statement = sql`SELECT n FROM numbers ORDER BY n`;
      for (const row of database.iterate(statement)) {
        assert.equal(row["n"], 1);
        break;
      }
      assert.deepEqual(
        [...database.iterate(statement)].map((row) => row["n"]),
        [1, 2, 3],
      );
      database.run(sql`DELETE FROM numbers`);
    }),
  },
  {
    name: "lets a statement be used again inside the loop that reads it",
    run: withNumbers((database) => {
      const statement = sql`SELECT n FROM numbers ORDER BY n`;
      const seen: unknown[] = [];
      for (const row of database.iterate(statement)) {
        seen.push(row["n"], database.all(statement).length, [...database.iterate(statement)].length);
      }
      assert.deepEqual(seen, [1, 3, 3, 2, 3, 3, 3, 3, 3]);
    }),
  },
  {
    name: "goes on after thousands of statements of different texts",
    run: withNumbers((database) => {
      for (let n = 1; n <= 2000; n += 1) {
        const [row] = database.all(sql`SELECT ${n} IN ${sql.list(Array.from({ length: n % 300 }, () => n))} AS held`);
        assert.equal(row?.["held"], n % 300 === 0 ? null : 1);
      }
    }),
  },
  {
    name: "refuses parameters that drivers bind differently, and a wrong number of them",
    run: withNumbers((database) => {
      const text = "SELECT ? AS a";
      const loose: { all(statement: { text: string; parameters: readonly unknown[] }): unknown } = Object(database);
      for (const parameter of [undefined, true, NaN, Infinity, {}]) {
        refuses("misuse", () => loose.all({ text, parameters: [parameter] }));
      }
      refuses("misuse", () => database.all({ text, parameters: [] }));
      refuses("misuse", () => database.all({ text, parameters: [1, 2] }));
      assert.equal(database.all({ text: "SELECT '?' AS a -- ?", parameters: [] })[0]?.["a"], "?");
    }),
  },
  {
    name: "names what SQLite refused: constraint, syntax, closed",
    run: withNumbers((database) => {
      refuses("constraint", () => database.run(sql`INSERT INTO numbers VALUES (${1}, ${"again"})`));
      refuses("other", () => database.all(sql`SELEKT 1`));
      refuses("other", () => database.exec("CREATE TABLE numbers (n)"));
      database.close();
      database.close();
      refuses("misuse", () => database.all(sql`SELECT 1`));
    }),
  },
  {
    name: "says busy at once when another connection writes",
    run(driver, directory) {
      const path = join(directory, "busy.sqlite");
      withDatabase(driver, path, (first) => {
        first.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a)");
        withDatabase(driver, path, (second) => {
          transaction(first, () => {
            first.run(sql`INSERT INTO t VALUES (${1})`);
            refuses("busy", () => transaction(second, () => 0));
            assert.equal(second.inTransaction, false);
          });
          assert.equal(second.all(sql`SELECT a FROM t`).length, 1);
        });
      });
    },
  },
  {
    name: "tells a file that is no database, and one that cannot be opened",
    run(driver, directory) {
      const garbage = join(directory, "garbage.sqlite");
      writeFileSync(garbage, "not a database ".repeat(300));
      refuses("not-a-database", () => withDatabase(driver, garbage, (database) => database.all(sql`SELECT * FROM t`)));
      refuses("cannot-open", () =>
        withDatabase(driver, join(directory, "missing", "x.sqlite"), (db) => db.exec("VACUUM")),
      );
    },
  },
  {
    name: "opens read-only when asked to",
    run(driver, directory) {
      const path = join(directory, "read.sqlite");
      withDatabase(driver, path, (database) => database.exec("CREATE TABLE t (a)"));
      const reader = driver.open({ path, readOnly: true, busyTimeoutMs: 5 });
      refuses("read-only", () => reader.run(sql`INSERT INTO t VALUES (${1})`));
      reader.close();
      refuses("misuse", () => driver.open({ path, readOnly: true, busyTimeoutMs: 5000 }));
    },
  },
  {
    name: "commits a transaction as a whole, and rolls back on an error or a promise, keeping the first error",
    run: withNumbers((database) => {
      assert.equal(
        transaction(database, () => database.run(sql`DELETE FROM numbers WHERE n = ${1}`).changes),
        1,
      );
      assert.throws(
        () =>
          transaction(database, () => {
            database.run(sql`DELETE FROM numbers`);
            throw new RangeError("first");
          }),
        RangeError,
      );
      assert.throws(
        () =>
          transaction(database, () => {
            database.exec("ROLLBACK");
            throw new RangeError("ended by itself");
          }),
        RangeError,
      );
      refuses("misuse", () => transaction(database, async () => database.run(sql`DELETE FROM numbers`)));
      refuses("misuse", () => transaction(database, () => transaction(database, () => 0)));
      assert.equal(database.inTransaction, false);
      assert.equal(database.all(sql`SELECT n FROM numbers`).length, 2);
    }),
  },
];
