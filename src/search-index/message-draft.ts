/** Draft: a message made ready to be written: cut into documents and folded, before any lock is taken. */

import { fold, SENTINEL } from "../session/fold.ts";
import { type FileEdit, fileEdits, toolNames } from "../session/file-edits.ts";
import { fileName } from "../session/file-path.ts";
import { promptText, searchableChunks } from "../session/searchable-text.ts";
import type { Message, Session } from "../session/session.ts";
import { wellFormed } from "../session/well-formed.ts";
import { DOCUMENT_ROLE } from "./schema.ts";

/** A document to be written: a chunk of a message, or a title. */
export interface DocumentDraft {
  /** '' for a title. */
  readonly messageId: string;
  readonly chunk: number;
  readonly role: number;
  readonly createdAt: number;
  readonly text: string;
  /** What the postings are made of; made ahead, because folding takes longer than writing. */
  readonly folded: string;
  /** What stands on chunk 0 only; null on others. */
  readonly head: DocumentHead | null;
}

export interface DocumentHead {
  readonly digest: string | null;
  readonly parentId: string | null;
  readonly prompt: string | null;
  readonly hasError: boolean;
  readonly edits: readonly (FileEdit & { readonly name: string })[];
  readonly tools: readonly string[];
  /** Chunks of the message in all: stored ones beyond it are of an older, longer state. */
  readonly chunks: number;
}

/** The text from which a document's postings are made, and with which they are deleted again. */
export function postingText(text: string): string {
  return text === "" ? "" : fold(text) + SENTINEL;
}

/**
 * The documents of a message, one after another, so that the caller can give way between them. Chunk 0 comes last: it
 * carries the digest, so that a message half written is seen as not written.
 */
export function* draftMessage(
  message: Message,
  digest: string,
  session: Pick<Session, "directory">,
): Generator<DocumentDraft> {
  const { id, role, createdAt } = message;
  const place = { messageId: id, role: DOCUMENT_ROLE[role ?? "other"], createdAt };
  let first = "";
  let chunks = 0;
  for (const text of searchableChunks(message)) {
    if (chunks === 0) first = text;
    else yield { ...place, chunk: chunks, text, folded: postingText(text), head: null };
    chunks += 1;
  }
  yield {
    ...place,
    chunk: 0,
    text: first,
    folded: postingText(first),
    head: draftHead(message, digest, session, chunks),
  };
}

function draftHead(
  message: Message,
  digest: string,
  session: Pick<Session, "directory">,
  chunks: number,
): DocumentHead {
  return {
    digest,
    parentId: message.parentId,
    prompt: promptText(message),
    hasError: message.error !== null,
    edits: fileEdits(message, session).map((edit) => ({
      path: wellFormed(edit.path),
      name: fileName(wellFormed(edit.path)),
      tool: wellFormed(edit.tool),
      time: edit.time,
    })),
    tools: toolNames(message).map(wellFormed),
    chunks,
  };
}

/** A session's title as a document. */
export function draftTitle(session: Session): DocumentDraft {
  const text = wellFormed(session.title);
  return {
    messageId: "",
    chunk: 0,
    role: DOCUMENT_ROLE.title,
    createdAt: session.createdAt,
    text,
    folded: postingText(text),
    head: null,
  };
}
