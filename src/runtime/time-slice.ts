/**
 * Time slice: a stretch of synchronous work after which the event loop gets its turn.
 *
 * The host runs its interface on the same thread as this plugin, so any work that can exceed a slice must call
 * `breathe` between its small steps.
 */

import type { Clock } from "./clock.ts";

export interface TimeSlice {
  /** Gives the event loop its turn when the slice is used up; returns at once (undefined) when it is not. */
  breathe(): Promise<void> | undefined;
}

/** Milliseconds of uninterrupted work the design allows before yielding. */
export const SLICE_MS = 8;

/**
 * Starts a slice that yields through the macrotask queue, so that input and output are served between slices.
 * @param budgetMs milliseconds of work between two yields
 */
export function startTimeSlice(clock: Clock, budgetMs: number = SLICE_MS): TimeSlice {
  let startedAt = clock.monotonic();
  return {
    breathe() {
      if (clock.monotonic() - startedAt < budgetMs) return undefined;
      return new Promise((resolve) => {
        setImmediate(() => {
          startedAt = clock.monotonic();
          resolve();
        });
      });
    },
  };
}
