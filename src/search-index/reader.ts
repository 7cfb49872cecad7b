/** Reader: everything a search asks of the index. The only SQL of searching stands in the reader files. */

import type { Database } from "../sqlite/database.ts";
import { createDocumentReader, type DocumentReader } from "./reader-documents.ts";
import { createEditReader, type EditReader } from "./reader-edits.ts";
import { createPostingsReader, type PostingsReader } from "./reader-postings.ts";
import { createSessionReader, type SessionReader } from "./reader-sessions.ts";

export interface IndexReader {
  readonly sessions: SessionReader;
  readonly documents: DocumentReader;
  readonly postings: PostingsReader;
  readonly edits: EditReader;
}

export function createIndexReader(database: Database): IndexReader {
  return {
    sessions: createSessionReader(database),
    documents: createDocumentReader(database),
    postings: createPostingsReader(database),
    edits: createEditReader(database),
  };
}

/** What a search asks of an open index. */
export interface SearchableIndex {
  /** Resolves when the index is open: after a moment when it was deleted or replaced. To be awaited before a read. */
  whenOpen(): Promise<void>;
  /**
   * The reading connection, inside a deferred read transaction. Concurrent searches share it: the transaction ends
   * with the last `endRead`. A connection is good until then; an index that was reopened hands out another one.
   */
  beginRead(): Database;
  endRead(): void;
  /** Whether the postings can be used; without a trigram tokenizer every answer comes from the texts. */
  readonly hasPostings: boolean;
  /** Whether the event loop may get its turn inside the read transaction: not where that keeps writers out. */
  readonly mayYieldInReads: boolean;
}
