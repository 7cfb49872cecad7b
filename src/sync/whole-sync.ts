/** Whole sync: the full passes, one session at a time each, retried without end and holding up nobody. */

import { messageOf } from "../runtime/error-message.ts";
import { KeyedScheduler } from "../runtime/keyed-scheduler.ts";
import type { Logger } from "../runtime/logger.ts";
import type { RefreshTools } from "./refresh.ts";
import { refreshWhole } from "./refresh.ts";

export interface WholeSyncTools extends RefreshTools {
  log(): Logger;
}

/** Lets the events of one change (a revert removes many messages) come together before the session is walked. */
const SETTLE_MS = 300;
const INTERVAL_MS = 10_000;

export class WholeSync {
  readonly #scheduler: KeyedScheduler<true>;
  /** What this process is to finish before it leaves. */
  readonly #owed = new Set<string>();

  constructor(tools: WholeSyncTools) {
    this.#scheduler = new KeyedScheduler<true>({
      clock: tools.clock,
      run: async (sessionId, _request, signal) => {
        const { failures } = await refreshWhole(tools, sessionId, signal);
        if (failures[0] !== undefined) throw failures[0];
        this.#owed.delete(sessionId);
      },
      merge: () => true,
      settleMs: SETTLE_MS,
      intervalMs: INTERVAL_MS,
      concurrency: 3,
      onFailure(sessionId, error, failures) {
        if (failures > 1) return;
        tools.log().warn("A session could not be brought up to date; it is tried again until it can.", {
          session: sessionId,
          error: messageOf(error),
        });
      },
    });
  }

  get failing(): number {
    return this.#scheduler.failing;
  }

  isFailing(sessionId: string): boolean {
    return this.#scheduler.isFailing(sessionId);
  }

  /** @param owed whether the process is to finish it before it leaves */
  request(sessionId: string, owed: boolean): void {
    if (owed) this.#owed.add(sessionId);
    this.#scheduler.request(sessionId, true);
  }

  /** Refreshes a session now, and resolves when that is done or has failed; a failed one comes again by itself. */
  async run(sessionId: string): Promise<void> {
    this.#scheduler.request(sessionId, true);
    await this.#scheduler.drain([sessionId]);
  }

  cancel(sessionId: string): void {
    this.#owed.delete(sessionId);
    this.#scheduler.cancel(sessionId);
  }

  /** Finishes what is owed. */
  drainOwed(): Promise<void> {
    return this.#scheduler.drain(this.#owed);
  }

  stop(): Promise<void> {
    return this.#scheduler.stop();
  }
}
