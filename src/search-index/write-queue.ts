/**
 * Write queue: the one place where this process waits for the write lock. SQLite itself would wait by sleeping on the
 * host's thread; here a refused attempt is tried again later, and the event loop runs meanwhile.
 */

import type { Clock } from "../runtime/clock.ts";
import { SqliteError } from "../sqlite/database.ts";

/** Milliseconds after which a lock held by others is reported instead of waited for. */
export const LOCK_PATIENCE_MS = 30_000;
/** Waits grow up to this many milliseconds, and are random, so that processes do not meet again and again. */
const LONGEST_WAIT_MS = 40;

/** Runs `attempt` until it is not refused for a lock; rejects with the last refusal when patience ends. */
export async function retryWhileBusy<T>(
  clock: Clock,
  patienceMs: number,
  attempt: () => T | Promise<T>,
  random: () => number = Math.random,
): Promise<T> {
  const startedAt = clock.monotonic();
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isBusy = error instanceof SqliteError && error.code === "busy";
      if (!isBusy || clock.monotonic() - startedAt >= patienceMs) throw error;
      await clock.sleep(1 + random() * Math.min(LONGEST_WAIT_MS, 2 ** tries));
    }
  }
}

/** Runs jobs one after another, in the order they came. */
export class WriteQueue {
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a job when those before it are done, and again while it is refused for a lock. The event loop gets its turn
   * before each job: one job is one slice.
   */
  run<T>(job: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return retryWhileBusy(this.#clock, LOCK_PATIENCE_MS, job);
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Waits until all that was asked for is done. */
  async drain(): Promise<void> {
    await this.#last;
  }
}
