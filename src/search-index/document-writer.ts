/**
 * Document writer: rows of `documents` with what hangs on them (postings, paths, tools). Every method runs inside a
 * transaction of the caller, and changes nothing that a newer refresh has written.
 */

import type { Database, SqlRow } from "../sqlite/database.ts";
import { sql } from "../sqlite/sql.ts";
import { documentIds, sessionKeyOf } from "./document-id.ts";
import { type DocumentDraft, type DocumentHead, postingText } from "./message-draft.ts";
import type { PostingsWriter } from "./postings-writer.ts";

export interface DocumentWriter {
  /** Writes a document unless a newer state of its message is stored. */
  put(sessionKey: number, stamp: number, draft: DocumentDraft): void;
  /** Ids of the documents of these messages that are not newer than `stamp`; a message's chunk 0 comes last. */
  documentsOf(sessionKey: number, messageIds: readonly string[], stamp: number): readonly number[];
  /** Ids of a session's next documents, whatever they are. */
  documentsAfter(sessionKey: number, documentId: number, count: number): readonly number[];
  remove(sessionKey: number, documentIds: readonly number[]): void;
}

interface StoredDocument {
  readonly id: number;
  readonly chunk: number;
  readonly stamp: number;
  readonly text: string;
}

function storedDocument(row: SqlRow): StoredDocument {
  return {
    id: Number(row["id"]),
    chunk: Number(row["chunk"]),
    stamp: Number(row["stamp"]),
    text: String(row["text"]),
  };
}

export function createDocumentWriter(database: Database, postings: PostingsWriter): DocumentWriter {
  const stored = (sessionKey: number, messageId: string, chunk: number): StoredDocument | undefined =>
    database
      .all(
        sql`SELECT id, chunk, stamp, text FROM documents
          WHERE session_key = ${sessionKey} AND message_id = ${messageId} AND chunk = ${chunk}`,
      )
      .map(storedDocument)[0];

  const nextId = (sessionKey: number): number => {
    const { from, to } = documentIds(sessionKey);
    const highest = database.all(sql`SELECT max(id) AS id FROM documents WHERE id >= ${from} AND id < ${to}`)[0]?.[
      "id"
    ];
    const next = highest == null ? from : Number(highest) + 1;
    if (next >= to) throw new RangeError(`Session ${sessionKey} has more documents than the index can number.`);
    return next;
  };

  const insert = (sessionKey: number, stamp: number, draft: DocumentDraft): number => {
    const id = nextId(sessionKey);
    const { head } = draft;
    database.run(
      sql`INSERT INTO documents
        (id, session_key, message_id, chunk, role, created_at, stamp, digest, parent_id,
          prompt_length, other_prompt, has_error, text)
        VALUES (${id}, ${sessionKey}, ${draft.messageId}, ${draft.chunk}, ${draft.role}, ${draft.createdAt}, ${stamp},
          ${head?.digest ?? null}, ${head?.parentId ?? null}, ${head?.prompt?.length ?? null}, ${head?.prompt?.other ?? null},
          ${head?.hasError === true ? 1 : 0}, ${draft.text})`,
    );
    postings.insert(id, draft.folded);
    return id;
  };

  const update = ({ id, text }: StoredDocument, stamp: number, draft: DocumentDraft): void => {
    const { head } = draft;
    if (text !== draft.text) postings.remove(id, postingText(text));
    database.run(
      sql`UPDATE documents SET role = ${draft.role}, created_at = ${draft.createdAt}, stamp = ${stamp},
        digest = ${head?.digest ?? null}, parent_id = ${head?.parentId ?? null},
        prompt_length = ${head?.prompt?.length ?? null}, other_prompt = ${head?.prompt?.other ?? null}, has_error = ${head?.hasError === true ? 1 : 0}, text = ${draft.text} WHERE id = ${id}`,
    );
    if (text !== draft.text) postings.insert(id, draft.folded);
  };

  const putHead = (sessionKey: number, documentId: number, head: DocumentHead): void => {
    for (const { path, name, tool, time } of head.edits) {
      database.run(
        sql`INSERT INTO document_paths (document_id, path, name, tool, session_key, edited_at)
          VALUES (${documentId}, ${path}, ${name}, ${tool}, ${sessionKey}, ${time})`,
      );
    }
    for (const tool of head.tools) {
      database.run(
        sql`INSERT OR IGNORE INTO document_tools (tool, session_key, document_id)
          VALUES (${tool}, ${sessionKey}, ${documentId})`,
      );
    }
  };

  const dropHead = (documentId: number): void => {
    database.run(sql`DELETE FROM document_paths WHERE document_id = ${documentId}`);
    // By each tool there is, since the table is ordered by tool: few look-ups, and rarer than an index is written to.
    database.run(
      sql`WITH RECURSIVE tools (tool) AS (
          SELECT min(tool) FROM document_tools
          UNION ALL
          SELECT (SELECT min(tool) FROM document_tools AS other WHERE other.tool > tools.tool) FROM tools
            WHERE tool IS NOT NULL
        )
        DELETE FROM document_tools WHERE tool IN (SELECT tool FROM tools)
          AND session_key = ${sessionKeyOf(documentId)} AND document_id = ${documentId}`,
    );
  };

  const drop = ({ id, text }: StoredDocument): void => {
    postings.remove(id, postingText(text));
    database.run(sql`DELETE FROM documents WHERE id = ${id}`);
  };

  const dropChunksFrom = (sessionKey: number, messageId: string, chunk: number, stamp: number): void => {
    const surplus = database.all(
      sql`SELECT id, chunk, stamp, text FROM documents WHERE session_key = ${sessionKey}
        AND message_id = ${messageId} AND chunk >= ${chunk} AND stamp <= ${stamp}`,
    );
    for (const row of surplus) drop(storedDocument(row));
  };

  const countMessage = (sessionKey: number, difference: number): void => {
    database.run(sql`UPDATE sessions SET message_count = message_count + ${difference} WHERE key = ${sessionKey}`);
  };

  return {
    put(sessionKey, stamp, draft) {
      const { messageId, chunk, head } = draft;
      const before = stored(sessionKey, messageId, chunk);
      // Chunk 0 speaks for the message: a longer, older state must not leave its tail behind a newer one.
      const first = chunk === 0 ? before : stored(sessionKey, messageId, 0);
      if ((before?.stamp ?? 0) > stamp || (first?.stamp ?? 0) > stamp) return;
      if (before !== undefined) update(before, stamp, draft);
      const id = before?.id ?? insert(sessionKey, stamp, draft);
      if (head === null) return;
      if (before === undefined) countMessage(sessionKey, 1);
      else dropHead(id);
      putHead(sessionKey, id, head);
      if (before !== undefined) dropChunksFrom(sessionKey, messageId, head.chunks, stamp);
    },

    documentsOf: (sessionKey, messageIds, stamp) =>
      database
        .all(
          // CROSS JOIN keeps the order: SQLite would rather read the whole session and look in the list.
          sql`SELECT documents.id FROM json_each(${JSON.stringify(messageIds)}) AS asked
            CROSS JOIN documents ON message_id = asked.value
            WHERE session_key = ${sessionKey} AND stamp <= ${stamp} ORDER BY message_id, chunk DESC`,
        )
        .map((row) => Number(row["id"])),

    documentsAfter(sessionKey, documentId, count) {
      const { from, to } = documentIds(sessionKey);
      return database
        .all(
          sql`SELECT id FROM documents WHERE id > ${Math.max(documentId, from - 1)} AND id < ${to}
            ORDER BY id LIMIT ${count}`,
        )
        .map((row) => Number(row["id"]));
    },

    remove(sessionKey, ids) {
      const rows = database.all(
        sql`SELECT documents.id, chunk, stamp, text, message_id
          FROM json_each(${JSON.stringify(ids)}) AS asked JOIN documents ON documents.id = asked.value`,
      );
      for (const row of rows) {
        const document = storedDocument(row);
        drop(document);
        if (document.chunk !== 0 || row["message_id"] === "") continue;
        dropHead(document.id);
        countMessage(sessionKey, -1);
      }
    },
  };
}
