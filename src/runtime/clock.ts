/** Clock: where the product reads the time and waits. It is passed in, so that tests own time. */

import { setTimeout as delay } from "node:timers/promises";

export interface Clock {
  /** Wall-clock time in epoch milliseconds; may jump in either direction. */
  now(): number;
  /** Milliseconds of a clock that never goes back, for measuring durations. */
  monotonic(): number;
  /**
   * Waits `ms` milliseconds without keeping the process alive. Rejects with the signal's reason when aborted.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    try {
      await delay(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
