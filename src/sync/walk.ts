/** Walk: reading a session's messages from its newest page backwards, into the sinks. */

import type { HostReader, MessagePage, PageCursor } from "../host/host.ts";
import type { Clock } from "../runtime/clock.ts";
import { startTimeSlice } from "../runtime/time-slice.ts";
import type { FanOut } from "./fan-out.ts";
import type { Pacer } from "./pacer.ts";

export interface WalkPlan {
  /** Messages in the first page; each further page has twice as many, up to `largestPage`. */
  readonly firstPage: number;
  readonly largestPage: number;
  /** Ends the walk at a page that holds a message which every sink has, unchanged. */
  readonly stopAtKnown: boolean;
  /** Ends the walk after so many messages. */
  readonly mostMessages: number;
}

export interface WalkResult {
  /** Every message id the host listed. */
  readonly seen: ReadonlySet<string>;
  /** Why the walk ended. "gone": the host has no such session. */
  readonly end: "start" | "known" | "enough" | "gone";
}

export interface WalkTools {
  readonly reader: HostReader;
  readonly clock: Clock;
  /** null: without pauses. */
  readonly pacer: Pacer | null;
}

/** Waits before reading a page again, once the walk has got somewhere: a long session is not begun anew for one hiccup. */
const PAGE_RETRY_MS = [1000, 2000, 4000];

export async function walk(
  { reader, clock, pacer }: WalkTools,
  sessionId: string,
  fanOut: FanOut,
  plan: WalkPlan,
  signal: AbortSignal,
): Promise<WalkResult> {
  const seen = new Set<string>();
  const slice = startTimeSlice(clock);
  let before: PageCursor | null = null;
  let limit = plan.firstPage;
  for (;;) {
    const began = clock.monotonic();
    const page = await readPage(reader, clock, sessionId, before, limit, signal);
    if (page === null) return { seen, end: "gone" };
    const sizeBefore = seen.size;
    for (const { id } of page.messages) seen.add(id);
    const metKnown = await fanOut.store(page.messages, slice);
    signal.throwIfAborted();
    if (page.older === null) return { seen, end: "start" };
    if (metKnown && plan.stopAtKnown) return { seen, end: "known" };
    if (fanOut.empty || seen.size >= plan.mostMessages) return { seen, end: "enough" };
    if (seen.size === sizeBefore || page.older === before) {
      throw new Error(`The host's pages of ${sessionId} do not go on: it repeats itself after ${seen.size} messages.`);
    }
    before = page.older;
    limit = Math.min(limit * 2, plan.largestPage);
    await pacer?.pause(clock.monotonic() - began, signal);
  }
}

async function readPage(
  reader: HostReader,
  clock: Clock,
  sessionId: string,
  before: PageCursor | null,
  limit: number,
  signal: AbortSignal,
): Promise<MessagePage | null> {
  const retries = before === null ? [] : PAGE_RETRY_MS;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await reader.messages(sessionId, { before, limit }, signal);
    } catch (error) {
      const wait = retries[attempt];
      if (wait === undefined || signal.aborted) throw error;
      await clock.sleep(wait, signal);
    }
  }
}
