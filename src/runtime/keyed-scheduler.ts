/**
 * Keyed scheduler: runs work for many keys, where asking often must not mean working often.
 *
 * Requests for one key merge while they wait. A key runs once at a time, and not more than once an interval while
 * requests keep coming; a run that fails comes again, ever more seldom, until it succeeds or is cancelled.
 */

import type { Clock } from "./clock.ts";

export interface KeyedSchedulerOptions<Request> {
  readonly clock: Clock;
  /** Does the work. What it rejects with is reported, and the request comes again. */
  run(key: string, request: Request, signal: AbortSignal): Promise<void>;
  /** What one run must do to satisfy both requests. */
  merge(earlier: Request, later: Request): Request;
  /** Milliseconds from the first request of a quiet key to its run, so that a burst becomes one run. */
  readonly settleMs: number;
  /** Milliseconds between the starts of two runs of one key. A run longer than that earns a pause as long as itself. */
  readonly intervalMs: number;
  /** Runs under way at once, over all keys. */
  readonly concurrency: number;
  /** A new request shortens the wait after a failure to this many milliseconds. */
  readonly eagerRetryMs?: number;
  /** Told of each failure; `failures` counts those in a row, from 1. */
  onFailure(key: string, error: unknown, failures: number): void;
}

interface Job<Request> {
  request: Request | null;
  failures: number;
  /** Monotonic time of the next run. */
  due: number;
  /** Monotonic time when the last run failed; null after a success. */
  failedAt: number | null;
  /** Whether somebody waits for this key: it runs without delay, and is not tried again before they are told. */
  hurried: boolean;
  cancelled: boolean;
  /** Ends the sleep before a run. */
  wake: AbortController;
  /** Aborts a run that is under way. */
  readonly abort: AbortController;
  /** Those who wait for the key to have nothing to do, or to have tried once more. */
  readonly waiting: (() => void)[];
}

const LONGEST_RETRY_MS = 600_000;

/** 1 s, 2 s, 4 s… up to 10 minutes. */
export function growingDelay(failures: number): number {
  return Math.min(1000 * 2 ** (failures - 1), LONGEST_RETRY_MS);
}

export class KeyedScheduler<Request extends object | true> {
  readonly #options: KeyedSchedulerOptions<Request>;
  readonly #jobs = new Map<string, Job<Request>>();
  readonly #queue: (() => void)[] = [];
  readonly #ending = new Set<Promise<void>>();
  #running = 0;
  #stopped = false;

  constructor(options: KeyedSchedulerOptions<Request>) {
    this.#options = options;
  }

  /** Keys that have work waiting or under way. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Keys whose last run failed. */
  get failing(): number {
    let failing = 0;
    for (const job of this.#jobs.values()) if (job.failures > 0) failing += 1;
    return failing;
  }

  isFailing(key: string): boolean {
    return (this.#jobs.get(key)?.failures ?? 0) > 0;
  }

  /** Asks for a run of `key`. Never throws; does nothing once stopped. */
  request(key: string, request: Request): void {
    if (this.#stopped) return;
    const { clock, settleMs, eagerRetryMs } = this.#options;
    const job = this.#jobs.get(key);
    if (job === undefined) {
      const created: Job<Request> = {
        request,
        failures: 0,
        due: clock.monotonic() + settleMs,
        failedAt: null,
        hurried: false,
        cancelled: false,
        wake: new AbortController(),
        abort: new AbortController(),
        waiting: [],
      };
      this.#jobs.set(key, created);
      const ended = this.#work(key, created).finally(() => this.#ending.delete(ended));
      this.#ending.add(ended);
      return;
    }
    job.request = job.request === null ? request : this.#options.merge(job.request, request);
    if (job.failedAt !== null && eagerRetryMs !== undefined) this.#bringForward(job, job.failedAt + eagerRetryMs);
  }

  /** Forgets what was asked for `key`, and aborts its run. */
  cancel(key: string): void {
    const job = this.#jobs.get(key);
    if (job === undefined) return;
    job.cancelled = true;
    job.request = null;
    job.abort.abort(new Error(`The work for ${key} is no longer wanted.`));
    job.wake.abort();
    this.#jobs.delete(key);
  }

  /**
   * Runs what is waiting now, without the intervals, and resolves when it has been tried: when each key has nothing left
   * to do or has failed once more. Never rejects.
   * @param keys all keys when absent
   */
  async drain(keys?: Iterable<string>): Promise<void> {
    const tried: Promise<void>[] = [];
    for (const key of keys ?? this.#jobs.keys()) {
      const job = this.#jobs.get(key);
      if (job === undefined) continue;
      job.hurried = true;
      this.#bringForward(job, this.#options.clock.monotonic());
      tried.push(
        new Promise((resolve) => {
          job.waiting.push(resolve);
        }),
      );
    }
    await Promise.all(tried);
  }

  /** Takes no more requests, and aborts what is under way. Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const key of this.#jobs.keys()) this.cancel(key);
    await Promise.all(this.#ending);
  }

  #bringForward(job: Job<Request>, due: number): void {
    if (due >= job.due) return;
    job.due = due;
    job.wake.abort();
  }

  /** Runs one key until nothing is asked of it any more and its interval has passed. */
  async #work(key: string, job: Job<Request>): Promise<void> {
    const { clock, intervalMs } = this.#options;
    for (;;) {
      await this.#sleepUntilDue(job);
      if (job.cancelled) break;
      const { request } = job;
      if (request === null) break;
      await this.#slot();
      const startedAt = clock.monotonic();
      if (!job.cancelled) await this.#runOnce(key, job);
      this.#releaseSlot();
      if (job.failedAt === null) {
        const endedAt = clock.monotonic();
        job.due = Math.max(
          startedAt + intervalMs,
          endedAt + (endedAt - startedAt > intervalMs ? endedAt - startedAt : 0),
        );
      }
      if (job.hurried && (job.request === null || job.failedAt !== null)) this.#tellWaiting(job);
      else if (job.hurried) job.due = clock.monotonic();
    }
    if (this.#jobs.get(key) === job) this.#jobs.delete(key);
    this.#tellWaiting(job);
  }

  async #runOnce(key: string, job: Job<Request>): Promise<void> {
    const options = this.#options;
    const { request } = job;
    if (request === null) return;
    job.request = null;
    try {
      await options.run(key, request, job.abort.signal);
      job.failures = 0;
      job.failedAt = null;
    } catch (error) {
      if (job.cancelled) return;
      job.failures += 1;
      job.failedAt = options.clock.monotonic();
      job.request = job.request === null ? request : options.merge(request, job.request);
      job.due = job.failedAt + growingDelay(job.failures);
      options.onFailure(key, error, job.failures);
    }
  }

  async #sleepUntilDue(job: Job<Request>): Promise<void> {
    const { clock } = this.#options;
    for (let left = job.due - clock.monotonic(); left > 0 && !job.cancelled; left = job.due - clock.monotonic()) {
      job.wake = new AbortController();
      try {
        await clock.sleep(left, job.wake.signal);
      } catch {
        // Woken early: the due time was brought forward, or the key was cancelled.
      }
    }
  }

  #tellWaiting(job: Job<Request>): void {
    job.hurried = false;
    for (const tell of job.waiting.splice(0)) tell();
  }

  async #slot(): Promise<void> {
    if (this.#running < this.#options.concurrency) {
      this.#running += 1;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#queue.push(resolve);
    });
  }

  /** Hands the slot to the next in the queue, so that nobody can take it in between. */
  #releaseSlot(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
