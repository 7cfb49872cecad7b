/** Watched database: a connection that reports what goes wrong on it, besides throwing it. */

import type { Database, SqlRow, SqlStatement } from "../sqlite/database.ts";

export class WatchedDatabase implements Database {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  all(statement: SqlStatement): SqlRow[] {
    return this.#watch(() => this.#database.all(statement));
  }

  run(statement: SqlStatement): { readonly changes: number } {
    return this.#watch(() => this.#database.run(statement));
  }

  *iterate(statement: SqlStatement): IterableIterator<SqlRow> {
    try {
      yield* this.#database.iterate(statement);
    } catch (error) {
      this.#onError(error);
      throw error;
    }
  }

  exec(text: string): void {
    this.#watch(() => this.#database.exec(text));
  }

  close(): void {
    this.#database.close();
  }

  #watch<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      this.#onError(error);
      throw error;
    }
  }
}
