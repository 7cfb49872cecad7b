/**
 * Refresh: bringing what the sinks hold of one session up to what the host holds now.
 *
 * A recent refresh costs what changed: messages that events named, and the newest pages until known messages are met.
 * A whole refresh compares every message, and is the only one after which a sink may drop what the host did not list.
 */

import type { HostReader } from "../host/host.ts";
import type { Clock } from "../runtime/clock.ts";
import { startTimeSlice } from "../runtime/time-slice.ts";
import type { Message } from "../session/session.ts";
import { FanOut, sinkFailure } from "./fan-out.ts";
import type { Pacer } from "./pacer.ts";
import type { RefreshRequest } from "./refresh-request.ts";
import type { SessionSink } from "./sink.ts";
import { walk } from "./walk.ts";

export interface RefreshTools {
  readonly reader: HostReader;
  readonly clock: Clock;
  readonly pacer: Pacer;
  /** The sinks there are now. */
  sinks(): readonly SessionSink[];
}

export interface RefreshOutcome {
  /** "suspect": nothing is known to be missing, but events may have been lost. */
  readonly end: "done" | "gone" | "needs-whole" | "suspect";
  /** What sinks failed with; the other sinks are up to date nevertheless. */
  readonly failures: readonly Error[];
}

/** A walk over recent messages that meets nothing known by then is left to a whole refresh. */
const MOST_RECENT = 200;

/** Messages that events named are asked for so many at a time. */
const NAMED_AT_ONCE = 4;

/**
 * Follows what happened lately in a session.
 * @throws what the host's reader rejects with
 */
export async function refreshRecent(
  tools: RefreshTools,
  sessionId: string,
  request: RefreshRequest,
  signal: AbortSignal,
): Promise<RefreshOutcome> {
  const session = await tools.reader.session(sessionId, signal);
  if (session === null) return removeEverywhere(tools, sessionId, tools.clock.now());
  const fanOut = await FanOut.open(tools.sinks(), session);
  if (fanOut.empty) return { end: "done", failures: fanOut.failures };

  const plan = { firstPage: 10, largestPage: 50, stopAtKnown: true, mostMessages: MOST_RECENT };
  const { seen, end } = await walk({ ...tools, pacer: null }, sessionId, fanOut, plan, signal);
  if (end === "gone") return removeEverywhere(tools, sessionId, tools.clock.now());
  const named = [...request.messageIds].filter((id) => !seen.has(id));
  const absent = await storeNamed(tools, sessionId, named, fanOut, signal);
  await fanOut.removeMessages([...request.removedIds, ...absent].filter((id) => !seen.has(id)));

  const complete = fanOut.complete;
  const sawAll = end === "start" && !isSuspiciouslyEmpty(seen, fanOut);
  await fanOut.finish(sawAll ? withNamed(seen, named, absent) : null);
  const { failures } = fanOut;
  if (end === "start") return { end: "done", failures };
  if (request.whole || !complete || end === "enough") return { end: "needs-whole", failures };
  return { end: request.suspect ? "suspect" : "done", failures };
}

/**
 * Compares a session from its newest message to its first.
 * @throws what the host's reader rejects with
 */
export async function refreshWhole(
  tools: RefreshTools,
  sessionId: string,
  signal: AbortSignal,
): Promise<RefreshOutcome> {
  const session = await tools.reader.session(sessionId, signal);
  if (session === null) return removeEverywhere(tools, sessionId, tools.clock.now());
  const fanOut = await FanOut.open(tools.sinks(), session);
  if (fanOut.empty) return { end: "done", failures: fanOut.failures };
  const plan = { firstPage: 25, largestPage: 50, stopAtKnown: false, mostMessages: Number.POSITIVE_INFINITY };
  const { seen, end } = await walk(tools, sessionId, fanOut, plan, signal);
  if (end === "gone") return removeEverywhere(tools, sessionId, tools.clock.now());
  await fanOut.finish(isSuspiciouslyEmpty(seen, fanOut) ? null : seen);
  return { end: "done", failures: fanOut.failures };
}

/** Tells every sink that the session is gone since `at`, epoch milliseconds. Never rejects. */
export async function removeEverywhere(
  { sinks }: Pick<RefreshTools, "sinks">,
  sessionId: string,
  at: number,
): Promise<RefreshOutcome> {
  const failures: Error[] = [];
  for (const sink of sinks()) {
    try {
      await sink.remove(sessionId, at);
    } catch (error) {
      failures.push(sinkFailure(sink, error));
    }
  }
  return { end: "gone", failures };
}

/**
 * The message list of a session that the other generation of OpenCode owns is empty here, though the session is listed.
 * An empty list therefore never empties a sink; single messages still leave by name.
 */
function isSuspiciouslyEmpty(seen: ReadonlySet<string>, fanOut: FanOut): boolean {
  return seen.size === 0 && fanOut.holdsMessages;
}

/** Fetches and stores the named messages. Returns those that the host does not have. */
async function storeNamed(
  { reader, clock }: RefreshTools,
  sessionId: string,
  named: readonly string[],
  fanOut: FanOut,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const absent: string[] = [];
  const slice = startTimeSlice(clock);
  for (let start = 0; start < named.length; start += NAMED_AT_ONCE) {
    const ids = named.slice(start, start + NAMED_AT_ONCE);
    const answers = await Promise.all(ids.map((id) => reader.message(sessionId, id, signal)));
    const found = answers.filter((message): message is Message => message !== null);
    absent.push(...ids.filter((_, index) => answers[index] === null));
    if (found.length > 0) await fanOut.store(found, slice);
  }
  return absent;
}

function withNamed(seen: ReadonlySet<string>, named: readonly string[], absent: readonly string[]): Set<string> {
  const gone = new Set(absent);
  return new Set([...seen, ...named.filter((id) => !gone.has(id))]);
}
