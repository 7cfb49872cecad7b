/** Edit walk: edits of one or several sources, newest first, those of one moment together. */

import type { EditPlace, EditRow, EditSource } from "../search-index/reader-edits.ts";
import type { SearchRun } from "./search-run.ts";

interface Head {
  readonly source: EditSource;
  rows: readonly EditRow[];
  /** Position in `rows` of the next edit. */
  next: number;
  isLast: boolean;
}

/** Edits read ahead in all. */
const READ_AHEAD = 64;
/** Edits read ahead of one source at least. */
const LEAST_PAGE = 4;

/**
 * Merges sources by time. An edit that several sources have is given once.
 * @param range half-open, epoch milliseconds
 */
export async function* editsByMoment(
  run: SearchRun,
  sources: readonly EditSource[],
  range: { readonly from: number; readonly to: number },
): AsyncGenerator<readonly EditRow[], void, void> {
  const count = Math.max(LEAST_PAGE, Math.ceil(READ_AHEAD / sources.length));
  const load = (source: EditSource, after: EditPlace | null): Head => {
    const rows = run.reader.edits.newest(source, range, after, count);
    return { source, rows, next: 0, isLast: rows.length < count };
  };
  const heads: Head[] = [];
  for (const source of sources) {
    heads.push(load(source, null));
    await run.pause();
  }
  const peek = (head: Head): EditRow | undefined => {
    if (head.next === head.rows.length && !head.isLast)
      Object.assign(head, load(head.source, head.rows.at(-1) ?? null));
    return head.rows[head.next];
  };
  for (;;) {
    const moment = Math.max(...heads.map((head) => peek(head)?.editedAt ?? -Infinity));
    if (moment === -Infinity) return;
    const edits = new Map<string, EditRow>();
    for (const head of heads) {
      for (let edit = peek(head); edit?.editedAt === moment; edit = peek(head)) {
        edits.set(`${edit.documentId} ${edit.path}`, edit);
        head.next += 1;
      }
    }
    yield [...edits.values()];
    await run.pause();
  }
}
