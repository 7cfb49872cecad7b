/** Paginate: walking a host's pages to their end, whatever the host's cursors look like. */

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

export function repeatedCursor(what: string, cursor: string): HostError {
  return new HostError("repeated-cursor", `The host gave the cursor ${JSON.stringify(cursor)} twice for ${what}.`);
}
