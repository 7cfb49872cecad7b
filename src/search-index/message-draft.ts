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

/** A prompt as it is stored: as the length of the text's beginning (schema.ts), or as `other` words than those. */
export interface StoredPrompt {
  readonly length: number | null;
  readonly other: string | null;
}

export interface DocumentHead {
  readonly digest: string | null;
  readonly parentId: string | null;
  readonly prompt: StoredPrompt | null;
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
    head: draftHead(message, digest, session, { first, chunks }),
  };
}

function draftHead(
  message: Message,
  digest: string,
  session: Pick<Session, "directory">,
  { first, chunks }: { readonly first: string; readonly chunks: number },
): DocumentHead {
  return {
    digest,
    parentId: message.parentId,
    prompt: storedPrompt(promptText(message), first),
    hasError: message.error !== null,
    edits: draftEdits(message, session),
    tools: toolNames(message).map(wellFormed),
    chunks,
  };
}

const ELLIPSIS = "…";

/** A person writes a message's first words, so the prompt mostly is how its text begins. */
function storedPrompt(prompt: string | null, text: string): StoredPrompt | null {
  if (prompt === null) return null;
  if (text.startsWith(prompt)) return { length: codePoints(prompt), other: null };
  const start = prompt.slice(0, -ELLIPSIS.length);
  const isCut = prompt.endsWith(ELLIPSIS) && start !== "" && text.startsWith(start);
  return isCut ? { length: -codePoints(start), other: null } : { length: null, other: prompt };
}

/** The length of a text as SQLite counts it. */
function codePoints(text: string): number {
  return Array.from(text).length;
}

/** The files a message changed, each once: two paths may become one where a lone surrogate is replaced. */
function draftEdits(message: Message, session: Pick<Session, "directory">): DocumentHead["edits"] {
  const edits = new Map<string, DocumentHead["edits"][number]>();
  for (const { path, tool, time } of fileEdits(message, session)) {
    const stored = wellFormed(path);
    if (!edits.has(stored)) edits.set(stored, { path: stored, name: fileName(stored), tool: wellFormed(tool), time });
  }
  return [...edits.values()];
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
