/** Thread time: how long the main thread has been on a processor. On a busy machine the clock also counts waiting for one. */

import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds; null where the system does not tell (it is Linux that does). */
export function threadTime(): number | null {
  try {
    // The first number is the time on a processor, in nanoseconds.
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    return null;
  }
}

/** Watches each turn of the event loop; `stop` gives the most that one of them took, in milliseconds. */
export function watchThreadTime(): { stop(): Promise<number | null> } {
  const end = new AbortController();
  let longest = 0;
  const watch = async (): Promise<void> => {
    for (let last = threadTime() ?? 0; !end.signal.aborted;) {
      await nextTurn();
      const now = threadTime() ?? 0;
      longest = Math.max(longest, now - last);
      last = now;
    }
  };
  const watching = watch();
  return {
    async stop() {
      end.abort();
      await watching;
      return threadTime() === null ? null : longest;
    },
  };
}
