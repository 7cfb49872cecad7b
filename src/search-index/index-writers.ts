/** Index writers: all that may change an index, over one connection. */

import type { Database } from "../sqlite/database.ts";
import { createDocumentWriter, type DocumentWriter } from "./document-writer.ts";
import type { IndexFile } from "./index-file.ts";
import { createPostingsWriter, noPostings, type PostingsWriter } from "./postings-writer.ts";
import { createSessionWriter, type SessionWriter } from "./session-writer.ts";

export interface IndexWriters {
  readonly database: Database;
  readonly sessions: SessionWriter;
  readonly documents: DocumentWriter;
  readonly postings: PostingsWriter;
}

export function createIndexWriters({ writer, hasPostings }: IndexFile): IndexWriters {
  const postings = hasPostings ? createPostingsWriter(writer) : noPostings;
  return {
    database: writer,
    sessions: createSessionWriter(writer),
    documents: createDocumentWriter(writer, postings),
    postings,
  };
}
