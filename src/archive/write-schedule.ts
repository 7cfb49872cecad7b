/**
 * Write schedule: when what changed goes to disk.
 *
 * While turns are under way, writing may take its share of the wall time and no more: after each write there is a pause of
 * a length that keeps the share. Once a session's turn has ended its last state is written soon, whatever the share.
 */

import type { Clock } from "../runtime/clock.ts";
import { growingDelay } from "../runtime/keyed-scheduler.ts";

export interface WriteScheduleOptions {
  readonly clock: Clock;
  /** Writes one key's state. What it rejects with is reported, and the key comes again. */
  write(key: string): Promise<void>;
  /** Whether a key is still being changed in a turn, so that its state is not the last one. */
  isBusy(key: string): boolean;
  /** Milliseconds that the last state of a key may wait at most. */
  longestSettleMs(key: string): number;
  /** Whether anything may be written now; `wake` is called when that changes. */
  isOpen(): boolean;
  onFailure(key: string, error: unknown, failures: number): void;
}

/** Changes that come within this time are one write. */
const SETTLE_MS = 500;
/** A key that costs much to write waits longer: nine times its cost, so that it takes a tenth of the time. */
const SETTLE_FACTOR = 9;
/** Pause after work during a turn, as a multiple of its length: 1.5% of the wall time, of the 2% that are promised. */
const PAUSE_FACTOR = 66;

/** A flush writes a key again when later writes ask for it, but it does not chase changes for ever. */
const MOST_FLUSHED = 5;

/** Whoever has made room, or mended the folder, looks for what was waiting. */
const LONGEST_RETRY_MS = 60_000;

/** Keys whose costs are remembered. */
const MOST_COSTS = 1000;

interface Entry {
  /** Monotonic time of the next attempt. */
  due: number;
  failures: number;
}

export class WriteSchedule {
  readonly #options: WriteScheduleOptions;
  readonly #entries = new Map<string, Entry>();
  /** Milliseconds that the last write of each key took. */
  readonly #costs = new Map<string, number>();
  /** Until then the share is used up. */
  #pausedUntil = 0;
  #wake = new AbortController();
  #running: Promise<void> | null = null;
  /** The end of the writes so far: one is under way at a time. */
  #last: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: WriteScheduleOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0 && this.#running === null;
  }

  /** Something of this key changed. */
  request(key: string): void {
    if (this.#stopped) return;
    const entry = this.#entries.get(key);
    if (entry === undefined)
      this.#entries.set(key, { due: this.#options.clock.monotonic() + this.#settle(key), failures: 0 });
    this.wake();
  }

  /** Looks again at what may be written: a turn ended, or the gate opened. */
  wake(): void {
    if (this.#stopped) return;
    this.#wake.abort();
    // With nothing to write the run would be over before it could be remembered as running.
    if (this.#entries.size > 0) this.#running ??= this.#run();
  }

  /** Counts work for a turn that was done outside of a write, in milliseconds. */
  charge(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.clock.monotonic()) + ms * PAUSE_FACTOR;
  }

  /** Writes what is waiting now, and what that leads to. Resolves when each was tried; never rejects. */
  async flush(keys?: Iterable<string>): Promise<void> {
    const tried = new Map<string, number>();
    const isLeft = (key: string) => {
      const entry = this.#entries.get(key);
      const times = tried.get(key) ?? 0;
      return entry !== undefined && times < MOST_FLUSHED && (times === 0 || entry.failures === 0);
    };
    for (;;) {
      const next = [...(keys ?? this.#entries.keys())].find((key) => isLeft(key));
      if (next === undefined) break;
      tried.set(next, (tried.get(next) ?? 0) + 1);
      await this.#write(next);
    }
    await this.#last;
  }

  /** Writes nothing any more of its own accord. */
  stop(): void {
    this.#stopped = true;
    this.#wake.abort();
  }

  #settle(key: string): number {
    const wanted = (this.#costs.get(key) ?? 0) * SETTLE_FACTOR;
    return Math.max(SETTLE_MS, Math.min(wanted, this.#options.longestSettleMs(key)));
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#stopped && this.#entries.size > 0) {
      this.#wake = new AbortController();
      const next = this.#next();
      const wait = next === null ? Number.POSITIVE_INFINITY : next.due - clock.monotonic();
      if (next !== null && wait <= 0) await this.#write(next.key);
      else await this.#sleep(wait);
    }
    this.#running = null;
  }

  /** The key that is due first; null while nothing may be written. */
  #next(): { readonly key: string; readonly due: number } | null {
    if (!this.#options.isOpen()) return null;
    let first: { readonly key: string; readonly due: number } | null = null;
    for (const [key, entry] of this.#entries) {
      const due = this.#options.isBusy(key) ? Math.max(entry.due, this.#pausedUntil) : entry.due;
      if (first === null || due < first.due) first = { key, due };
    }
    return first;
  }

  async #sleep(ms: number): Promise<void> {
    try {
      await this.#options.clock.sleep(Math.min(ms, 60_000), this.#wake.signal);
    } catch {
      // Woken: something changed.
    }
  }

  #write(key: string): Promise<void> {
    this.#last = this.#last.then(() => this.#writeNow(key));
    return this.#last;
  }

  async #writeNow(key: string): Promise<void> {
    const { clock } = this.#options;
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const startedAt = clock.monotonic();
    try {
      await this.#options.write(key);
    } catch (error) {
      const failures = entry.failures + 1;
      this.#options.onFailure(key, error, failures);
      this.#entries.set(key, { due: clock.monotonic() + Math.min(growingDelay(failures), LONGEST_RETRY_MS), failures });
    }
    const cost = clock.monotonic() - startedAt;
    if (this.#costs.size >= MOST_COSTS) this.#costs.clear();
    this.#costs.set(key, cost);
    if (this.#options.isBusy(key)) this.charge(cost);
  }
}
