/**
 * Live sync: following the host's events, session by session.
 *
 * An event never carries what is stored, only where to look: the session is read again, soon but at most once a second,
 * and so late, doubled and reordered events do no harm.
 */

import { messageOf } from "../runtime/error-message.ts";
import type { HostEvent } from "../host/host.ts";
import { KeyedScheduler } from "../runtime/keyed-scheduler.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Family } from "./family.ts";
import type { RefreshTools } from "./refresh.ts";
import { refreshRecent, removeEverywhere } from "./refresh.ts";
import type { RefreshRequest } from "./refresh-request.ts";
import { mergeRequests, newRequest, requestOf } from "./refresh-request.ts";
import { sinkFailure } from "./fan-out.ts";
import type { WholeSync } from "./whole-sync.ts";

export interface LiveSyncTools extends RefreshTools {
  readonly family: Family;
  readonly whole: WholeSync;
  log(): Logger;
}

/** A burst of events becomes one refresh. */
const SETTLE_MS = 100;
const INTERVAL_MS = 1000;
/** New events bring a failing session's next attempt forward to this long after the last. */
const EAGER_RETRY_MS = 5000;

/** A loss of events is noticed within this time: what was refreshed meanwhile may have missed some. */
const LOSS_NOTICED_MS = 120_000;
const MOST_HEARD = 1000;

export class LiveSync {
  readonly #tools: LiveSyncTools;
  readonly #scheduler: KeyedScheduler<RefreshRequest>;
  /**
   * Sessions refreshed since events may have been lost; null when a listing has told since what was lost. Until then a
   * session's first refresh makes its fingerprint equal to the host's, and would hide from the listing what it missed.
   */
  #sinceLoss: Set<string> | null = new Set();
  /** When each session was last heard of, monotonic milliseconds; least recent first. */
  readonly #heardAt = new Map<string, number>();

  constructor(tools: LiveSyncTools) {
    this.#tools = tools;
    this.#scheduler = new KeyedScheduler({
      clock: tools.clock,
      run: (sessionId, request, signal) => this.#follow(sessionId, request, signal),
      merge: mergeRequests,
      settleMs: SETTLE_MS,
      intervalMs: INTERVAL_MS,
      concurrency: 4,
      eagerRetryMs: EAGER_RETRY_MS,
      onFailure(sessionId, error, failures) {
        if (failures > 1) return;
        tools.log().warn("A session could not be read; it is tried again until it can.", {
          session: sessionId,
          error: messageOf(error),
        });
      },
    });
  }

  /** Sessions that cannot be read at present. */
  get failing(): number {
    return this.#scheduler.failing;
  }

  /** Events may have been lost, as they always are before the process began. */
  distrust(): void {
    const { clock } = this.#tools;
    this.#sinceLoss = new Set();
    for (const [sessionId, heardAt] of this.#heardAt) {
      if (clock.monotonic() - heardAt > LOSS_NOTICED_MS) continue;
      this.#scheduler.request(sessionId, newRequest({ suspect: true }));
    }
  }

  /** Everything was compared with a listing that began after the last loss. */
  trust(): void {
    this.#sinceLoss = null;
  }

  onEvent(event: HostEvent): void {
    if (event.type === "stream-lost") return;
    this.#tools.pacer.noteActivity();
    if ((event.type === "session-created" || event.type === "session-changed") && event.session !== null) {
      this.#tools.family.note(event.session);
    }
    const request = requestOf(event);
    if (request === null) return;
    if (this.#sinceLoss?.has(event.sessionId) === false) {
      this.#sinceLoss.add(event.sessionId);
      request.suspect = true;
    }
    this.#noteHeard(event.sessionId);
    this.#scheduler.request(event.sessionId, request);
  }

  /** Refreshes a session now. Resolves when it has been tried. */
  async refreshNow(sessionId: string): Promise<void> {
    this.#scheduler.request(sessionId, newRequest());
    await this.#scheduler.drain([sessionId]);
  }

  /** Finishes what events have asked for so far, as far as it can be finished. */
  drain(): Promise<void> {
    return this.#scheduler.drain();
  }

  stop(): Promise<void> {
    return this.#scheduler.stop();
  }

  async #follow(sessionId: string, request: RefreshRequest, signal: AbortSignal): Promise<void> {
    const { whole } = this.#tools;
    if (request.deletedAt !== null) {
      whole.cancel(sessionId);
      const removal = await removeEverywhere(this.#tools, sessionId, request.deletedAt);
      this.#checkChildren(sessionId);
      if (removal.failures.length > 0) throw removal.failures[0];
      if (!request.changed) return;
    }
    const outcome = await refreshRecent(this.#tools, sessionId, request, signal);
    if (outcome.end === "gone") {
      this.#checkChildren(sessionId);
      if (outcome.failures.length > 0) throw outcome.failures[0];
      return;
    }
    const failures = [...outcome.failures, ...(await this.#noteError(sessionId, request))];
    // What is left over goes to the whole refreshes, which wait for nobody: a failing sink does not slow the others.
    if (outcome.end !== "done" || failures.length > 0) whole.request(sessionId, outcome.end === "needs-whole");
  }

  #noteHeard(sessionId: string): void {
    this.#heardAt.delete(sessionId);
    this.#heardAt.set(sessionId, this.#tools.clock.monotonic());
    const [oldest] = this.#heardAt.keys();
    if (this.#heardAt.size > MOST_HEARD && oldest !== undefined) this.#heardAt.delete(oldest);
  }

  async #noteError(sessionId: string, { errorAt }: RefreshRequest): Promise<readonly Error[]> {
    if (errorAt === null) return [];
    const failures: Error[] = [];
    for (const sink of this.#tools.sinks()) {
      try {
        await sink.noteSessionError?.(sessionId, errorAt);
      } catch (error) {
        failures.push(sinkFailure(sink, error));
      }
    }
    return failures;
  }

  #checkChildren(sessionId: string): void {
    for (const child of this.#tools.family.takeChildren(sessionId)) this.#scheduler.request(child, newRequest());
  }
}
