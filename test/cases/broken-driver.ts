/** Broken driver: a SQLite that refuses some statements, as those of some systems do. */

import type { Database, SqliteDriver, SqlStatement } from "../../src/sqlite/database.ts";
import { testDriver } from "../search-index/opened-index.ts";

/** @param check throws for the statements that are refused */
export function brokenDriver(check: (text: string) => void): SqliteDriver {
  const driver = testDriver();
  const checked = (database: Database): Database => ({
    all(statement: SqlStatement) {
      check(statement.text);
      return database.all(statement);
    },
    iterate(statement) {
      check(statement.text);
      return database.iterate(statement);
    },
    run(statement) {
      check(statement.text);
      return database.run(statement);
    },
    exec(text) {
      check(text);
      database.exec(text);
    },
    get inTransaction() {
      return database.inTransaction;
    },
    close: () => database.close(),
  });
  return { ...driver, open: (options) => checked(driver.open(options)) };
}
