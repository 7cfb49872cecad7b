/** Paginate: walking a host's pages to their end, whatever the host's cursors look like. */

import type { HostReader, MessagePage, PageCursor } from "./host.ts";
import { HostError } from "./host.ts";

export interface Page<Item, Cursor> {
  readonly items: readonly Item[];
  /** null on the last page. */
  readonly next: Cursor | null;
}

/**
 * Yields page after page until one names no next.
 * @param fetchPage fetches the page at a cursor; the first page is at null
 * @throws HostError "repeated-cursor" when the host names a cursor it already gave: going on would never end
 */
export async function* paginate<Item, Cursor extends string>(
  what: string,
  fetchPage: (cursor: Cursor | null) => Promise<Page<Item, Cursor>>,
  signal: AbortSignal,
): AsyncGenerator<readonly Item[], void, undefined> {
  const seen = new Set<Cursor>();
  let cursor: Cursor | null = null;
  do {
    signal.throwIfAborted();
    const page: Page<Item, Cursor> = await fetchPage(cursor);
    yield page.items;
    cursor = page.next;
    if (cursor !== null) {
      if (seen.has(cursor)) throw repeatedCursor(what, cursor);
      seen.add(cursor);
    }
  } while (cursor !== null);
}

/**
 * A session's messages from the newest page back to its first one. Ends without a page when the host has no such
 * session; ends early when the session is deleted meanwhile.
 * @param limit messages a page, 1..100
 */
export async function* messagePages(
  reader: Pick<HostReader, "messages">,
  sessionId: string,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<readonly MessagePage["messages"][number][], void, undefined> {
  yield* paginate<MessagePage["messages"][number], PageCursor>(
    `messages of ${sessionId}`,
    async (before) => {
      const page = await reader.messages(sessionId, { before, limit }, signal);
      return page === null ? { items: [], next: null } : { items: page.messages, next: page.older };
    },
    signal,
  );
}

export function repeatedCursor(what: string, cursor: string): HostError {
  return new HostError("repeated-cursor", `The host gave the cursor ${JSON.stringify(cursor)} twice for ${what}.`);
}
