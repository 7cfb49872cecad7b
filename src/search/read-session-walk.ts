/** Walk: a session's pages from some place backwards, the only direction hosts page in. */

import type { HostReader, MessagePage, PageCursor } from "../host/host.ts";
import { ReadError } from "./read-session-request.ts";

/** The most messages a host gives in one page. */
export const PAGE_LIMIT = 100;

export interface WalkStart {
  /** null: from the newest message on. */
  readonly before: PageCursor | null;
  /** Messages of the first page; later pages have PAGE_LIMIT, because then the guess behind the first was wrong. */
  readonly limit: number;
}

/**
 * Yields pages, each older than the one before, until the session's first message or until the caller leaves.
 * Yields nothing when the session does not exist (any more).
 * @throws ReadError "repeated-cursor" when the host names a cursor twice: going on would never end
 */
export async function* walkBack(
  host: Pick<HostReader, "messages">,
  sessionId: string,
  start: WalkStart,
  signal: AbortSignal,
): AsyncGenerator<MessagePage, void, undefined> {
  const seen = new Set<PageCursor>();
  let before = start.before;
  let limit = Math.min(Math.max(start.limit, 1), PAGE_LIMIT);
  for (;;) {
    signal.throwIfAborted();
    if (before !== null) seen.add(before);
    const page = await host.messages(sessionId, { before, limit }, signal);
    if (page === null) return;
    yield page;
    if (page.older === null) return;
    if (seen.has(page.older)) {
      throw new ReadError(
        "repeated-cursor",
        `The host gave the same page cursor twice for session ${sessionId}, so the messages before it cannot be reached. Call history-read with a messageID from a search result instead.`,
      );
    }
    before = page.older;
    limit = PAGE_LIMIT;
  }
}
