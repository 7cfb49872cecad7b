/**
 * Event stream: the one subscription of a process. OpenCode 2.x starts an instance of the plugin for each location,
 * and the stream of each carries the events of all: so one member subscribes for everybody, each event is handed to
 * exactly one member, and when the subscriber leaves or its stream fails, another one takes over.
 */

import { messageOf } from "../../runtime/error-message.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { startTimeSlice } from "../../runtime/time-slice.ts";
import { type RawEvent, readEvent } from "./raw-event.ts";

/** An instance that listens. Its functions never throw. */
export interface StreamMember {
  /** The directory of its location; null where the host does not say. */
  readonly directory: string | null;
  readonly log: Logger;
  /** Opens the host's stream; the signal ends it. */
  subscribe(signal: AbortSignal): unknown;
  deliver(event: RawEvent): void;
  /** Events may have been missed. Told to one member, since all feed one history. */
  lost(): void;
}

export interface EventStream {
  /** Adds a member; the returned function removes it. */
  join(member: StreamMember): () => void;
  /** Tells a member that events may have been missed, for a reason outside the stream. */
  announceLoss(): void;
}

/** Ids remembered to tell a repeated event: two subscriptions overlap for a moment at a hand-over. */
const REMEMBERED_IDS = 8192;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 60_000;
/** A subscription that lived so long works, although it may have had nothing to say. */
const STEADY_MS = 1000;

/**
 * @param observe sees each event once, before the member it is handed to; must not throw
 */
export function createEventStream(clock: Clock, observe: (event: RawEvent) => void): EventStream {
  const members: StreamMember[] = [];
  const seen = new Set<string>();
  /** Which member got a session's events, for those that name no location. */
  const homes = new Map<string, StreamMember>();
  let subscription: { readonly owner: StreamMember; readonly stop: AbortController } | null = null;

  function dispatch(given: unknown): void {
    const event = readEvent(given);
    if (event === null || (event.id !== null && seen.has(event.id))) return;
    if (event.id !== null) remember(seen, event.id);
    observe(event);
    memberFor(event)?.deliver(event);
  }

  function memberFor(event: RawEvent): StreamMember | undefined {
    const local = members.find((member) => member.directory !== null && member.directory === event.directory);
    const known = event.sessionId === null ? undefined : homes.get(event.sessionId);
    const member = local ?? known ?? members[0];
    if (member !== undefined && event.sessionId !== null) rememberHome(event.sessionId, member);
    return member;
  }

  function rememberHome(sessionId: string, member: StreamMember): void {
    homes.delete(sessionId);
    homes.set(sessionId, member);
    const [oldest] = homes.keys();
    if (homes.size > REMEMBERED_IDS && oldest !== undefined) homes.delete(oldest);
  }

  /** @param missed whether events may have been missed before this subscription */
  function subscribe(owner: StreamMember, missed: boolean): void {
    const stop = new AbortController();
    subscription = { owner, stop };
    void follow(owner, stop.signal, missed);
  }

  /** Reads streams until the signal ends it, each from the member whose turn it is. Never rejects. */
  async function follow(first: StreamMember, signal: AbortSignal, missed: boolean): Promise<void> {
    let owner = first;
    let failures = 0;
    let behind = missed;
    const steady = (): void => {
      failures = 0;
      if (behind) members[0]?.lost();
      behind = false;
    };
    while (!signal.aborted) {
      const reason = await consume(owner, signal, steady);
      if (signal.aborted) return;
      if (failures === 0) owner.log.warn("The event stream ended; subscribing again", { reason });
      behind = true;
      await clock.sleep(Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS), signal).catch(() => undefined);
      failures += 1;
      // The host may have closed the owner's location without telling: the next member has its turn.
      owner = members[(members.indexOf(owner) + 1) % members.length] ?? owner;
      if (!signal.aborted && subscription !== null) subscription = { ...subscription, owner };
    }
  }

  /** Hands on every event of one stream. @returns why it ended */
  async function consume(owner: StreamMember, signal: AbortSignal, steady: () => void): Promise<string> {
    const slice = startTimeSlice(clock);
    const ended = new AbortController();
    const stop = AbortSignal.any([signal, ended.signal]);
    const aborted = new Promise<null>((resolve) => {
      stop.addEventListener("abort", () => resolve(null), { once: true });
    });
    void clock.sleep(STEADY_MS, stop).then(steady, () => undefined);
    try {
      // Not awaited unless it must be: what happens in between would be missed.
      const stream = owner.subscribe(stop);
      const iterator = iteratorOf(stream instanceof Promise ? await stream : stream);
      if (iterator === null) return "the host gave no stream";
      for (;;) {
        // Raced with the signal, because not every iterator ends with it.
        const next = await Promise.race([iterator.next(), aborted]);
        if (next === null) {
          void Promise.resolve(iterator.return?.()).catch(() => undefined);
          return "stopped";
        }
        if (next.done === true) return "the host ended it";
        steady();
        dispatch(next.value);
        await slice.breathe();
      }
    } catch (error) {
      return messageOf(error);
    } finally {
      ended.abort();
    }
  }

  return {
    join(member) {
      members.push(member);
      if (subscription === null) subscribe(member, false);
      return () => {
        const place = members.indexOf(member);
        if (place === -1) return;
        members.splice(place, 1);
        for (const [sessionId, home] of homes) if (home === member) homes.delete(sessionId);
        if (subscription?.owner !== member) return;
        const leaving = subscription;
        subscription = null;
        // The new subscription starts before the old one ends, so that nothing falls between them.
        const [heir] = members;
        if (heir !== undefined) subscribe(heir, true);
        leaving.stop.abort();
      };
    },
    announceLoss: () => members[0]?.lost(),
  };
}

function remember(seen: Set<string>, id: string): void {
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > REMEMBERED_IDS && oldest !== undefined) seen.delete(oldest);
}

function iteratorOf(stream: unknown): AsyncIterator<unknown> | null {
  return isAsyncIterable(stream) ? stream[Symbol.asyncIterator]() : null;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
