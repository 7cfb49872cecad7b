/** Agreement: whether documents and postings of an index say the same, document by document and trigram by trigram. */

import { fold, SENTINEL } from "../../src/session/fold.ts";
import type { Database } from "../../src/sqlite/database.ts";
import { sql } from "../../src/sqlite/sql.ts";

function trigramsOf(text: string): Set<string> {
  if (text === "") return new Set();
  const characters = Array.from(fold(text) + SENTINEL);
  return new Set(characters.slice(2).map((_, index) => characters.slice(index, index + 3).join("")));
}

/** Every way in which the tables contradict each other, as a sentence; none when they agree. */
export function disagreements(database: Database): string[] {
  const postings = new Map<number, Set<string>>();
  for (const row of database.iterate(sql`SELECT doc, term FROM posting_instances`)) {
    const id = Number(row["doc"]);
    const terms = postings.get(id) ?? new Set();
    postings.set(id, terms.add(String(row["term"])));
  }
  const found: string[] = [];
  const ids = new Set<number>();
  for (const row of database.iterate(sql`SELECT id, session_key, text FROM documents`)) {
    const id = Number(row["id"]);
    ids.add(id);
    const expected = trigramsOf(String(row["text"]));
    const actual = postings.get(id) ?? new Set();
    if (expected.size !== actual.size || ![...expected].every((term) => actual.has(term)))
      found.push(`document ${id}: its postings are not its text's`);
    if (Math.floor(id / 2 ** 24) !== row["session_key"]) found.push(`document ${id} is numbered for another session`);
  }
  for (const id of postings.keys()) if (!ids.has(id)) found.push(`postings of ${id}, which is no document`);
  return [...found, ...miscounted(database), ...dangling(database)];
}

/** @throws Error that names what contradicts what */
export function assertAgreement(database: Database): void {
  const found = disagreements(database);
  if (found.length > 0) throw new Error(`Documents and postings disagree: ${found.slice(0, 10).join("; ")}.`);
}

function miscounted(database: Database): string[] {
  return database
    .all(
      sql`SELECT id FROM sessions WHERE message_count <> (SELECT count(*) FROM documents
        WHERE session_key = sessions.key AND chunk = 0 AND message_id <> '')`,
    )
    .map((row) => `session ${String(row["id"])}: message_count is not the number of its messages`);
}

function dangling(database: Database): string[] {
  return database
    .all(
      sql`SELECT document_id FROM document_paths WHERE document_id NOT IN (SELECT id FROM documents)
        UNION SELECT document_id FROM document_tools WHERE document_id NOT IN (SELECT id FROM documents)
        UNION SELECT id FROM documents WHERE session_key NOT IN (SELECT key FROM sessions)`,
    )
    .map((row) => `rows of document ${String(row["document_id"])} are left behind`);
}
