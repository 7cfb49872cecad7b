/**
 * Reader of postings: which documents hold which trigrams of folded text. An answer is an upper bound: a document
 * that holds every trigram of a word need not hold the word, so a hit is always verified on the text.
 *
 * Every method is one call into SQLite. Long lists are read in ranges of sessions, each of which is found at once.
 */

import type { Database } from "../sqlite/database.ts";
import { sql, type SqlFragment } from "../sqlite/sql.ts";
import { DOCUMENTS_PER_SESSION, SESSION_SHIFT } from "./document-id.ts";

/** One or more trigrams that must all occur, or the one or two characters that a trigram must begin with. */
export type PostingsKey =
  | { readonly kind: "trigrams"; readonly trigrams: readonly string[] }
  | { readonly kind: "prefix"; readonly prefix: string };

/** Keys of sessions, half-open. */
export interface SessionRange {
  readonly from: number;
  readonly to: number;
}

export interface PostingsReader {
  /** The number of postings of a key, counted up to `limit`. */
  count(key: PostingsKey, limit: number): number;
  /** Ids of the documents with the key, each once; of some sessions when they are given; `limit` at most. */
  documents(key: PostingsKey, sessions: SessionRange | null, limit: number): readonly number[];
  /** Of each of the sessions that have documents with the key, the id of the first one. */
  firstDocuments(key: PostingsKey, sessions: SessionRange): readonly number[];
}

export function createPostingsReader(database: Database): PostingsReader {
  /** As one value: making a row of each of thousands of ids takes longer than finding them. */
  const ids = (statement: SqlFragment): readonly number[] =>
    JSON.parse(String(database.all(sql`SELECT json_group_array(id) AS ids FROM (${statement})`)[0]?.["ids"] ?? "[]"));
  return {
    count(key, limit) {
      const found = database.all(sql`SELECT count(*) AS count FROM (SELECT 1 ${matching(key)} LIMIT ${limit})`);
      return Number(found[0]?.["count"] ?? 0);
    },
    documents(key, sessions, limit) {
      const id = document(key);
      return ids(sql`SELECT ${distinct(key)} ${id} AS id ${matching(key)} ${within(id, sessions)} LIMIT ${limit}`);
    },
    firstDocuments(key, sessions) {
      const id = document(key);
      return ids(
        sql`SELECT min(${id}) AS id ${matching(key)} ${within(id, sessions)} GROUP BY ${id} >> ${SESSION_SHIFT}`,
      );
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

function within(id: SqlFragment, sessions: SessionRange | null): SqlFragment {
  if (sessions === null) return sql.empty;
  const { from, to } = sessions;
  return sql`AND ${id} >= ${firstId(from)} AND ${id} < ${firstId(to)}`;
}

/**
 * An integer to SQLite, too: drivers bind numbers past 2^31 as REAL, and FTS5 does not seek to such a bound but walks
 * the list from its start.
 */
function firstId(sessionKey: number): SqlFragment {
  return sql`CAST(${sessionKey * DOCUMENTS_PER_SESSION} AS INTEGER)`;
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
