/** Postings writer: keeps the FTS table in step with the documents, and merges its segments in small steps. */

import type { Database } from "../sqlite/database.ts";
import { sql } from "../sqlite/sql.ts";

export interface PostingsWriter {
  /** @param text as `postingText` gives it */
  insert(documentId: number, text: string): void;
  /** @param text exactly what was inserted: FTS5 keeps no copy to find the document's trigrams by */
  remove(documentId: number, text: string): void;
  /** Does a small piece of pending merge work; false when there was none. */
  merge(): boolean;
}

/** Pages of output a merge step writes: one or two milliseconds of work. */
const MERGE_PAGES = 16;

export function createPostingsWriter(database: Database): PostingsWriter {
  const totalChanges = (): number => Number(database.all(sql`SELECT total_changes() AS changes`)[0]?.["changes"]);
  return {
    insert(documentId, text) {
      if (text !== "") database.run(sql`INSERT INTO postings (rowid, text) VALUES (${documentId}, ${text})`);
    },
    remove(documentId, text) {
      if (text === "") return;
      database.run(sql`INSERT INTO postings (postings, rowid, text) VALUES ('delete', ${documentId}, ${text})`);
    },
    merge() {
      const before = totalChanges();
      database.run(sql`INSERT INTO postings (postings, rank) VALUES ('merge', ${MERGE_PAGES})`);
      // "If the difference is less than two, there was no work": https://www.sqlite.org/fts5.html#the_merge_command
      return totalChanges() - before >= 2;
    },
  };
}

/** For a SQLite without the trigram tokenizer: there are no postings, and searches read the texts. */
export const noPostings: PostingsWriter = { insert() {}, remove() {}, merge: () => false };
