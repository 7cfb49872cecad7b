/** Backfill toast: tells the person at the keyboard about a first indexing that takes long, and stays quiet else. */

import type { Clock } from "./runtime/clock.ts";
import type { BackfillProgress } from "./sync/backfill.ts";

/** A first backfill shorter than this is not worth a word. */
const LONG_MS = 10_000;

const sessions = (count: number | null): string =>
  `${(count ?? 0).toLocaleString("en")} past ${count === 1 ? "session" : "sessions"}`;

/**
 * @param toast shows a message; never rejects
 * @returns what the sync calls whenever the first backfill begins or ends
 */
export function createBackfillToast(
  clock: Clock,
  toast: (message: string) => void,
): (progress: BackfillProgress) => void {
  const ended = new AbortController();
  let isWaiting = false;
  let isAnnounced = false;
  const announceWhenLong = async (known: number | null): Promise<void> => {
    try {
      await clock.sleep(LONG_MS, ended.signal);
    } catch {
      // It was short.
      return;
    }
    isAnnounced = true;
    toast(`Indexing ${sessions(known)} for search, newest first. Recent ones can be found already.`);
  };
  return ({ first, sessionsKnown }) => {
    if (first === "running" && !isWaiting) {
      isWaiting = true;
      void announceWhenLong(sessionsKnown);
    } else if (first === "done") {
      ended.abort();
      if (isAnnounced) toast(`Indexed: ${sessions(sessionsKnown)} can be searched.`);
      isAnnounced = false;
    }
  };
}
