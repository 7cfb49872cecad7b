/** Deadline: an end to waiting for a call that may never answer. */

import type { Clock } from "../runtime/clock.ts";

export class DeadlineError extends Error {
  constructor(what: string, ms: number) {
    super(`${what} did not answer within ${ms} ms.`);
    this.name = "DeadlineError";
  }
}

/**
 * Runs `work` with a signal of its own, which is aborted after `ms` milliseconds or with any of `signals`.
 * Rejects at that moment, whether or not the work heeds its signal.
 * @throws DeadlineError when the time was up; else what the work or the signal's reason says
 */
export async function withDeadline<T>(
  clock: Clock,
  what: string,
  ms: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const signal of signals) signal.throwIfAborted();
  const ended = new AbortController();
  const abandoned = new Promise<never>((_, reject) => {
    ended.signal.addEventListener("abort", () => reject(ended.signal.reason), { once: true });
  });
  const listeners = signals.map((signal) => {
    const listener = () => ended.abort(signal.reason);
    signal.addEventListener("abort", listener, { once: true });
    return () => signal.removeEventListener("abort", listener);
  });
  const timer = new AbortController();
  void clock.sleep(ms, timer.signal).then(
    () => ended.abort(new DeadlineError(what, ms)),
    () => {},
  );
  try {
    return await Promise.race([work(ended.signal), abandoned]);
  } finally {
    timer.abort();
    for (const remove of listeners) remove();
  }
}
