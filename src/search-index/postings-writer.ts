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
  /** Does the first piece of merging all segments into one; `merge` does the others. False when there is one only. */
  mergeAll(): boolean;
}

/** Pages of output a merge step writes: a few milliseconds of work, of which opening the segments is a small share. */
const MERGE_PAGES = 32;

export function createPostingsWriter(database: Database): PostingsWriter {
  const totalChanges = (): number => Number(database.all(sql`SELECT total_changes() AS changes`)[0]?.["changes"]);
  const merge = (pages: number): boolean => {
    const before = totalChanges();
    // Merging frees many pages, and clearing each takes a third of the time. They hold trigrams, not text, of which
    // the segments still keep those of removed documents until they are merged themselves.
    clearFreedPages(false);
    try {
      database.run(sql`INSERT INTO postings (postings, rank) VALUES ('merge', ${pages})`);
    } finally {
      clearFreedPages(true);
    }
    // "If the difference is less than two, there was no work": https://www.sqlite.org/fts5.html#the_merge_command
    return totalChanges() - before >= 2;
  };
  const clearFreedPages = (clears: boolean): void => {
    database.all(clears ? sql`PRAGMA secure_delete = ON` : sql`PRAGMA secure_delete = OFF`);
  };
  return {
    insert(documentId, text) {
      if (text !== "") database.run(sql`INSERT INTO postings (rowid, text) VALUES (${documentId}, ${text})`);
    },
    remove(documentId, text) {
      if (text === "") return;
      database.run(sql`INSERT INTO postings (postings, rowid, text) VALUES ('delete', ${documentId}, ${text})`);
    },
    merge: () => merge(MERGE_PAGES),
    mergeAll: () => merge(-MERGE_PAGES),
  };
}

/** For a SQLite without the trigram tokenizer: there are no postings, and searches read the texts. */
export const noPostings: PostingsWriter = { insert() {}, remove() {}, merge: () => false, mergeAll: () => false };
