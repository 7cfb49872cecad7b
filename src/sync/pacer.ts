/** Pacer: keeps background reading out of the way while somebody is at work in the host. */

import type { Clock } from "../runtime/clock.ts";

/** Milliseconds after an event in which the host counts as busy. */
const BUSY_MS = 3000;

/** The longest pause: a slow host is read slowly, not hardly at all. */
const LONGEST_PAUSE_MS = 1000;

export class Pacer {
  readonly #clock: Clock;
  #busyUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something happened in the host. */
  noteActivity(): void {
    this.#busyUntil = this.#clock.monotonic() + BUSY_MS;
  }

  /**
   * Waits between two pieces of background work: as long as the last one took while the host is busy, else for one turn
   * of the event loop.
   */
  async pause(workedMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#clock.monotonic() < this.#busyUntil && workedMs >= 1) {
      await this.#clock.sleep(Math.min(workedMs, LONGEST_PAUSE_MS), signal);
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
