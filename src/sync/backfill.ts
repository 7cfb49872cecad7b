/**
 * Backfill: comparing everything the host lists with what the sinks hold, and refreshing what differs, newest first.
 *
 * It runs at start-up, after events were lost and every ten minutes. What is stored decides what is left to do, so an
 * interrupted backfill goes on where it stopped. A session that the host does not list is left alone: another process or
 * another store may own it.
 */

import { messageOf } from "../runtime/error-message.ts";
import type { Clock } from "../runtime/clock.ts";
import { growingDelay } from "../runtime/keyed-scheduler.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Session } from "../session/session.ts";
import type { Family } from "./family.ts";
import type { HostRelay } from "./host-relay.ts";
import type { Pacer } from "./pacer.ts";
import type { SessionSink } from "./sink.ts";
import type { WholeSync } from "./whole-sync.ts";

export interface BackfillTools {
  readonly reader: HostRelay;
  readonly clock: Clock;
  readonly pacer: Pacer;
  readonly family: Family;
  readonly whole: WholeSync;
  sinks(): readonly SessionSink[];
  log(): Logger;
  /** Told when all that is listed was compared, and nothing was asked for again meanwhile. */
  onCompared(): void;
  /** Told after each complete listing, and when the first backfill begins and ends. */
  onProgress(): void;
}

export interface BackfillProgress {
  /** Sessions in the last complete listing that some sink wants; null before there was one. */
  readonly sessionsKnown: number | null;
  /** Whether no other listing was asked for since that one began. */
  readonly isListingCurrent: boolean;
  /** Listed sessions that are not up to date in some sink, failing ones aside. */
  readonly sessionsLeft: number;
  /** The first one of this process. */
  readonly first: "waiting" | "running" | "done";
  /** Why the last listing failed; null when it did not. */
  readonly trouble: string | null;
}

/** Leaves the first moments to the host's own start. */
const FIRST_DELAY_MS = 300;
const PERIOD_MS = 600_000;
/** However often events are lost, listings are this far apart. */
const LEAST_PERIOD_MS = 5000;
const UNREADY_RETRY_MS = 1000;
const WORKERS = 2;

export class Backfill {
  readonly #tools: BackfillTools;
  readonly #stop = new AbortController();
  /** Outdated sessions by id, and when each was last active. */
  readonly #left = new Map<string, number>();
  /** The same, least recently active first: the next one is the last. */
  #order: string[] = [];
  #underWay = 0;
  #known: number | null = null;
  #isListingCurrent = false;
  #first: BackfillProgress["first"] = "waiting";
  #trouble: string | null = null;
  #again = new AbortController();
  #workers = 0;

  constructor(tools: BackfillTools) {
    this.#tools = tools;
  }

  get progress(): BackfillProgress {
    return {
      sessionsKnown: this.#known,
      isListingCurrent: this.#isListingCurrent,
      sessionsLeft: this.#left.size + this.#underWay,
      first: this.#first,
      trouble: this.#trouble,
    };
  }

  /** Returns at once; the work begins a moment later. */
  start(): void {
    void this.#listEverySoOften();
  }

  /** Asks for a listing now, because events may have been lost. */
  again(): void {
    this.#isListingCurrent = false;
    this.#again.abort();
  }

  stop(): void {
    this.#stop.abort(new Error("The backfill was stopped."));
    this.#left.clear();
    this.#order = [];
  }

  async #listEverySoOften(): Promise<void> {
    const { clock } = this.#tools;
    const { signal } = this.#stop;
    let wait = FIRST_DELAY_MS;
    for (let failures = 0; !signal.aborted;) {
      try {
        await clock.sleep(Math.min(wait, LEAST_PERIOD_MS), signal);
        if (wait > LEAST_PERIOD_MS) await this.#sleepUnlessAsked(wait - LEAST_PERIOD_MS);
        await this.#untilReady();
        this.#again = new AbortController();
        await this.#list();
        this.#isListingCurrent = !this.#again.signal.aborted;
        if (this.#isListingCurrent) this.#tools.onCompared();
        failures = 0;
        this.#trouble = null;
        wait = PERIOD_MS;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        wait = growingDelay(failures);
        this.#trouble = messageOf(error);
        if (failures === 1) this.#tools.log().warn("The sessions could not be listed.", { error: this.#trouble });
      }
      this.#refill();
    }
  }

  async #sleepUnlessAsked(ms: number): Promise<void> {
    const { signal } = this.#again;
    try {
      await this.#tools.clock.sleep(ms, AbortSignal.any([signal, this.#stop.signal]));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #untilReady(): Promise<void> {
    const { reader, clock } = this.#tools;
    while (reader.current?.availability().ready !== true) await clock.sleep(UNREADY_RETRY_MS, this.#stop.signal);
  }

  /** Reads the listing page by page; what differs is in `#left` even when a later page fails. */
  async #list(): Promise<void> {
    const { reader, family, pacer, clock } = this.#tools;
    const listed = new Set<string>();
    let began = clock.monotonic();
    for await (const page of reader.sessions(this.#stop.signal)) {
      for (const session of page) family.note(session);
      await this.#noteOutdated(page, listed);
      await pacer.pause(clock.monotonic() - began, this.#stop.signal);
      began = clock.monotonic();
    }
    this.#known = listed.size;
  }

  /** @param listed takes the ids of the page's sessions that some sink wants */
  async #noteOutdated(page: readonly Session[], listed: Set<string>): Promise<void> {
    const outdated = new Set<string>();
    for (const sink of this.#tools.sinks()) {
      const wanted = page.filter((session) => sink.wants(session));
      for (const { id } of wanted) listed.add(id);
      if (wanted.length === 0) continue;
      try {
        for (const id of await sink.outdated(wanted)) outdated.add(id);
      } catch (error) {
        this.#tools.log().warn(`The ${sink.name} could not be compared with the host's sessions.`, {
          error: messageOf(error),
        });
      }
    }
    for (const session of page) {
      if (outdated.has(session.id) && !this.#tools.whole.isFailing(session.id)) {
        this.#left.set(session.id, session.updatedAt);
      }
    }
  }

  /** Puts the sessions that are left in order, and sees to it that somebody works on them. */
  #refill(): void {
    if (this.#stop.signal.aborted) return;
    this.#order = [...this.#left].sort(([, one], [, other]) => one - other).map(([id]) => id);
    if (this.#first === "waiting" && this.#known !== null) this.#first = "running";
    if (this.#trouble === null) this.#tools.onProgress();
    while (this.#workers < WORKERS && this.#workers < this.#order.length) {
      this.#workers += 1;
      void this.#work();
    }
    this.#endFirst();
  }

  async #work(): Promise<void> {
    const { clock, pacer, whole } = this.#tools;
    try {
      for (let id = this.#order.pop(); id !== undefined; id = this.#order.pop()) {
        if (!this.#left.delete(id)) continue;
        const began = clock.monotonic();
        this.#underWay += 1;
        await whole.run(id);
        this.#underWay -= 1;
        await pacer.pause(clock.monotonic() - began, this.#stop.signal);
      }
    } catch {
      // Stopped.
    }
    this.#workers -= 1;
    this.#endFirst();
  }

  #endFirst(): void {
    if (this.#first !== "running" || this.#left.size > 0 || this.#underWay > 0) return;
    this.#first = "done";
    this.#tools.onProgress();
  }
}
