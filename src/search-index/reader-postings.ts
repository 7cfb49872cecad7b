/**
 * Reader of postings: which documents hold which trigrams of folded text. An answer is an upper bound: a document
 * that holds every trigram of a word need not hold the word, so a hit is always verified on the text.
 *
 * Every method is one call into SQLite, or a walk that the caller may interrupt between two results.
 */

import type { Database, SqlRow } from "../sqlite/database.ts";
import { sql, type SqlFragment } from "../sqlite/sql.ts";
import { documentIds } from "./document-id.ts";

/** One or more trigrams that must all occur, or the one or two characters that a trigram must begin with. */
export type PostingsKey =
  | { readonly kind: "trigrams"; readonly trigrams: readonly string[] }
  | { readonly kind: "prefix"; readonly prefix: string };

export interface PostingsReader {
  /** The number of postings of a key, counted up to `limit`. */
  count(key: PostingsKey, limit: number): number;
  /** Ids of all documents with the key, each once. Frees its statement when left early. */
  walk(key: PostingsKey): IterableIterator<number>;
  /** Ids of the documents with the key, of one session when it is given, `limit` at most. */
  documents(key: PostingsKey, sessionKey: number | null, limit: number): readonly number[];
}

export function createPostingsReader(database: Database): PostingsReader {
  return {
    count(key, limit) {
      const found = database.all(sql`SELECT count(*) AS count FROM (SELECT 1 ${matching(key)} LIMIT ${limit})`);
      return Number(found[0]?.["count"] ?? 0);
    },
    *walk(key) {
      const rows = database.iterate(sql`SELECT ${distinct(key)} ${document(key)} AS id ${matching(key)}`);
      for (const row of rows) yield Number(row["id"]);
    },
    documents(key, sessionKey, limit) {
      const id = document(key);
      return database
        .all(sql`SELECT ${distinct(key)} ${id} AS id ${matching(key)} ${within(id, sessionKey)} LIMIT ${limit}`)
        .map((row: SqlRow) => Number(row["id"]));
    },
  };
}

function document(key: PostingsKey): SqlFragment {
  return key.kind === "trigrams" ? sql`rowid` : sql`doc`;
}

/** A document begins several trigrams of a prefix, and holds all trigrams of a list once. */
function distinct(key: PostingsKey): SqlFragment {
  return key.kind === "prefix" ? sql`DISTINCT` : sql.empty;
}

function within(id: SqlFragment, sessionKey: number | null): SqlFragment {
  if (sessionKey === null) return sql.empty;
  const { from, to } = documentIds(sessionKey);
  return sql`AND ${id} >= ${from} AND ${id} < ${to}`;
}

function matching(key: PostingsKey): SqlFragment {
  if (key.kind === "trigrams") return sql`FROM postings WHERE postings MATCH ${matchExpression(key.trigrams)}`;
  // The highest code point ends the range of all terms that begin with the prefix.
  return sql`FROM posting_instances WHERE term >= ${key.prefix} AND term < ${`${key.prefix}\u{10ffff}`}`;
}

/** Each trigram as an FTS5 string: whatever it holds, nothing in it is syntax. */
function matchExpression(trigrams: readonly string[]): string {
  return trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(" AND ");
}
