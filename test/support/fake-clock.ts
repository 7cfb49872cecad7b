/** Fake clock: time that stands still until a test moves it, for schedules that would take minutes. */

import type { Clock } from "../../src/runtime/clock.ts";

import { BUILT_AT } from "./builders.ts";

const DAY_MS = 86_400_000;

interface Sleeper {
  readonly wakesAt: number;
  wake(): void;
}

export class FakeClock implements Clock {
  #wall: number;
  #elapsed = 0;
  readonly #sleepers = new Set<Sleeper>();

  /** @param startsAt epoch milliseconds; a day after built sessions begin when absent */
  constructor(startsAt: number = BUILT_AT + DAY_MS) {
    this.#wall = startsAt;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  /** How many sleeps are under way. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        wakesAt: this.#elapsed + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Sets the wall clock forwards or backwards, as a person or a time server does; sleeps are not affected. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** Lets `ms` milliseconds pass: sleepers wake one after the other, and what they start gets its turn. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#moveTo(next.wakesAt);
      next.wake();
      await settle();
    }
    this.#moveTo(end);
    await settle();
  }

  #next(end: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.wakesAt <= end && (first === undefined || sleeper.wakesAt < first.wakesAt)) first = sleeper;
    }
    return first;
  }

  #moveTo(elapsed: number): void {
    if (elapsed <= this.#elapsed) return;
    this.#wall += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(turns = 100): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
