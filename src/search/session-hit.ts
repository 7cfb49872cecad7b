/** Session hit: a session row as it is answered, with the root of its chain of sub-agents. */

import type { IndexReader } from "../search-index/reader.ts";
import type { SessionRow } from "../search-index/reader-sessions.ts";
import type { SessionHit } from "./results.ts";

export function sessionHit(reader: IndexReader, session: SessionRow): SessionHit {
  return {
    sessionId: session.id,
    source: session.source,
    title: session.title,
    projectId: session.projectId,
    directory: session.directory,
    parentId: session.parentId,
    rootId: rootOf(reader, session),
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    archived: session.archivedAt !== null,
    reverted: session.revertMessageId !== null,
  };
}

/** The topmost session above this one; null when nothing is above. An ancestor that is not indexed ends the chain. */
export function rootOf(reader: IndexReader, session: SessionRow): string | null {
  const seen = new Set([session.id]);
  let root: string | null = null;
  let parent = session.parentId;
  while (parent !== null && !seen.has(parent)) {
    root = parent;
    seen.add(parent);
    parent = reader.sessions.byId(parent)?.parentId ?? null;
  }
  return root;
}

/** Tells which messages of a session are hidden by its revert. */
export function revertedMessages(
  reader: IndexReader,
  session: SessionRow,
): (message: { readonly messageId: string; readonly createdAt: number }) => boolean {
  const { revertMessageId, revertPartId } = session;
  const boundary = revertMessageId === null ? null : reader.documents.message(session.key, revertMessageId);
  if (boundary === null) return () => false;
  return ({ messageId, createdAt }) => {
    // With a part given, the message is reverted from that part on, and what matched may stand before it.
    if (messageId === boundary.messageId) return revertPartId === null;
    return createdAt > boundary.createdAt || (createdAt === boundary.createdAt && messageId > boundary.messageId);
  };
}
