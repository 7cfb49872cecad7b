/**
 * Search run: one search from its start to its answer. It holds the read transaction, gives the event loop its turn,
 * and notices when nobody waits for the answer any more.
 */

import type { Clock } from "../runtime/clock.ts";
import { startTimeSlice } from "../runtime/time-slice.ts";
import { createIndexReader, type IndexReader, type SearchableIndex } from "../search-index/reader.ts";

/** Where one way of searching gives way to another. Every answer is the same with any of them. */
export interface SearchLimits {
  /** Documents up to which a term is rare: they are listed before anything else is tried. */
  readonly rare: number;
  /** The same for one or two characters: there is no asking about them one session at a time. */
  readonly rareShort: number;
  /** UTF-16 units of text read in vain before common words are looked up in the postings. */
  readonly readBeforeLookUp: number;
}

export const SEARCH_LIMITS: SearchLimits = { rare: 2000, rareShort: 16_000, readBeforeLookUp: 1_000_000 };

export interface SearchRun {
  /** The index as it is now; not to be kept across a `pause`. */
  readonly reader: IndexReader;
  readonly hasPostings: boolean;
  readonly limits: SearchLimits;
  /**
   * To be called between small steps: yields when the slice is used up, and renews a read transaction that has become
   * old. Rejects with the signal's reason when the search was aborted.
   */
  pause(): Promise<void> | undefined;
  /** Like `pause`, but the state that is read stays the same: for walks that keep a statement open. */
  breathe(): Promise<void> | undefined;
}

/** A read transaction held for longer keeps the write-ahead log from being reset. */
const MAX_TRANSACTION_MS = 1000;
/** Less than the design's slice, since a step between two pauses may take some milliseconds of its own. */
const SLICE_MS = 5;

/** Runs a search and ends its read transaction whatever happens. */
export async function withSearchRun<T>(
  index: SearchableIndex,
  clock: Clock,
  signal: AbortSignal,
  limits: SearchLimits,
  work: (run: SearchRun) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  await index.whenOpen();
  signal.throwIfAborted();
  const slice = startTimeSlice(clock, SLICE_MS);
  let reader = createIndexReader(index.beginRead());
  let isReading = true;
  let startedAt = clock.monotonic();
  const end = (): void => {
    if (!isReading) return;
    isReading = false;
    index.endRead();
  };
  const begin = (): void => {
    reader = createIndexReader(index.beginRead());
    isReading = true;
    startedAt = clock.monotonic();
  };
  const resume = async (breath: Promise<void>, isKept: boolean): Promise<void> => {
    // Where a reader keeps writers out, none is left open while others have their turn.
    if (!isKept && !index.mayYieldInReads) end();
    await breath;
    signal.throwIfAborted();
    if (isKept || (isReading && clock.monotonic() - startedAt < MAX_TRANSACTION_MS)) return;
    end();
    await index.whenOpen();
    begin();
  };
  const pause = (isKept: boolean): Promise<void> | undefined => {
    if (isKept && !index.mayYieldInReads) return undefined;
    const breath = slice.breathe();
    return breath === undefined ? undefined : resume(breath, isKept);
  };
  try {
    return await work({
      get reader() {
        return reader;
      },
      hasPostings: index.hasPostings,
      limits,
      pause: () => pause(false),
      breathe: () => pause(true),
    });
  } finally {
    end();
  }
}
