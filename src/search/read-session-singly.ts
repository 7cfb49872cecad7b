/** Singly: messages of one role, whose ids the index picks, fetched one by one; a page would bring the others along. */

import type { HostReader } from "../host/host.ts";
import type { MessagePosition, MessagePositions, Place } from "../search-index/reader-positions.ts";
import type { Message, MessageRole } from "../session/session.ts";
import { collectAround, isEligible, type Neighbours } from "./read-session-collect.ts";

/** Requests under way at once: the host answers one in about 8 ms, and has other things to do. */
const CONCURRENT = 4;
/** Messages of the page that shows whether the session went on after what is indexed; mostly none did. */
const HEAD_LIMIT = 5;

/**
 * The messages of one role around a place that the index knows, in a session it knows whole, on a host that orders by
 * time. What came after the newest indexed message is read from the session's end.
 * @param place null: the session's start
 * @returns as collectAround does, except that `at` is null; null when the index was replaced meanwhile
 */
export async function collectSingly(
  host: Pick<HostReader, "message" | "messages">,
  positions: MessagePositions,
  sessionId: string,
  place: Place | null,
  wanted: { readonly before: number; readonly after: number; readonly role: MessageRole },
  signal: AbortSignal,
): Promise<Neighbours | null> {
  const { role } = wanted;
  const take = (
    count: number,
    next: (from: Place | null, missing: number) => readonly MessagePosition[],
  ): Promise<Message[]> => fetchSome(host, sessionId, role, count, place, next, signal);

  const after = await take(wanted.after + 1, (from, missing) => positions.after(sessionId, from, role, missing));
  const missing = wanted.after + 1 - after.length;
  if (missing > 0) {
    const last = positions.before(sessionId, null, null, 1)[0];
    const target = last === undefined ? null : { id: last.id, place: last };
    const start = { before: null, limit: HEAD_LIMIT };
    const head = await collectAround(host, sessionId, target, { before: 0, after: missing - 1, role }, start, signal);
    after.push(...head.after);
  }
  const before = await take(wanted.before, (from, count) => positions.before(sessionId, from, role, count));
  if (!positions.complete(sessionId)) return null;
  return { met: true, before: before.toReversed(), at: null, after };
}

/** Fetches positions until `count` messages of the role are there; those the host no longer has are passed over. */
async function fetchSome(
  host: Pick<HostReader, "message">,
  sessionId: string,
  role: MessageRole,
  count: number,
  place: Place | null,
  next: (from: Place | null, missing: number) => readonly MessagePosition[],
  signal: AbortSignal,
): Promise<Message[]> {
  const messages: Message[] = [];
  let from = place;
  while (messages.length < count) {
    signal.throwIfAborted();
    const batch = next(from, Math.min(count - messages.length, CONCURRENT));
    const last = batch.at(-1);
    if (last === undefined) break;
    const fetched = await Promise.all(batch.map(({ id }) => host.message(sessionId, id, signal)));
    messages.push(...fetched.filter((message) => message !== null).filter((message) => isEligible(message, role)));
    from = last;
  }
  return messages;
}
