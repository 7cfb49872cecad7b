/** Loop monitor: how long the event loop was blocked at a time. */

import { setImmediate as nextTurn } from "node:timers/promises";

export interface LoopMonitor {
  /** Forgets the stretch under way: for work of the bench itself. */
  reset(): void;
  /** Stops, and gives every stretch in milliseconds, shortest first. */
  stop(): Promise<readonly number[]>;
}

/** Looks at the clock in every turn of the event loop: what lies between two looks was a block. */
export function startLoopMonitor(): LoopMonitor {
  const stretches: number[] = [];
  const end = new AbortController();
  let last = performance.now();
  const watch = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await nextTurn();
      const now = performance.now();
      stretches.push(now - last);
      last = now;
    }
  };
  const watching = watch();
  return {
    reset() {
      last = performance.now();
    },
    async stop() {
      end.abort();
      await watching;
      return stretches.sort((one, other) => one - other);
    },
  };
}

/** The value below which a share of the sorted values lies. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
