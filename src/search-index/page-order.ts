/**
 * Page order: the order in which documents fill the pages of the file best.
 *
 * A row goes to the page of the row before it when it fits there, and to a new page when it does not, which leaves an
 * eighth of the file empty when documents come as they were said. Nothing reads them by that order, so those of one
 * transaction are sorted into pages first.
 */

import type { DocumentDraft } from "./message-draft.ts";

/** Bytes of a page, SQLite's default, and what of it rows can have: https://www.sqlite.org/fileformat2.html#b_tree_pages */
const PAGE_BYTES = 4096;
const ROOM = PAGE_BYTES - 8;
/** A longer row goes on in pages of its own, of which only the first bytes that fill no whole page stay here. */
const LONGEST_ROW = PAGE_BYTES - 35;
const SHORTEST_START = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23;
const OVERFLOW_BYTES = PAGE_BYTES - 4;
/** Bytes of a row beside its texts: numbers, the header with the lengths, its place in the page. */
const ROW_BYTES = 56;

interface Page {
  readonly drafts: DocumentDraft[];
  free: number;
}

export interface PageOrder {
  readonly drafts: readonly DocumentDraft[];
  /** Bytes left on the last page, for the drafts of the next transaction. */
  readonly room: number;
}

/**
 * Sorts the drafts of one transaction so that few pages hold them.
 * @param room bytes left on the page that rows are being added to; 0 when that is not known
 */
export function inPageOrder(drafts: readonly DocumentDraft[], room: number): PageOrder {
  const current: Page = { drafts: [], free: room };
  const pages = [current];
  const sized = drafts.map((draft) => ({ draft, bytes: bytesInPage(draft) }));
  for (const { draft, bytes } of sized.sort((one, other) => other.bytes - one.bytes)) {
    let page = tightest(pages, bytes);
    if (page === undefined) pages.push((page = { drafts: [], free: ROOM }));
    page.drafts.push(draft);
    page.free -= bytes;
  }
  const [, ...added] = pages;
  // The one with most room comes last: the next transaction goes on there.
  added.sort((one, other) => one.free - other.free);
  return { drafts: [current, ...added].flatMap((page) => page.drafts), room: (added.at(-1) ?? current).free };
}

/** The page with the least room that is enough. */
function tightest(pages: readonly Page[], bytes: number): Page | undefined {
  let best: Page | undefined;
  for (const page of pages) if (page.free >= bytes && page.free < (best?.free ?? Infinity)) best = page;
  return best;
}

function bytesInPage({ text, messageId, head }: DocumentDraft): number {
  const texts = [text, messageId, head?.digest, head?.parentId, head?.prompt?.other];
  const row = texts.reduce((sum, value) => sum + Buffer.byteLength(value ?? ""), ROW_BYTES);
  if (row <= LONGEST_ROW) return row;
  const start = SHORTEST_START + ((row - SHORTEST_START) % OVERFLOW_BYTES);
  return start <= LONGEST_ROW ? start : SHORTEST_START;
}
