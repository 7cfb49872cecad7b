/** Reading support: a reader over a fake host whose pages and index can be bent, and what it must answer. */

import type { HostReader } from "../../src/host/host.ts";
import { createSessionReader } from "../../src/search/read-session.ts";
import type { SessionReader, Stretch } from "../../src/search/read-session-request.ts";
import type { MessagePosition, MessagePositions, Place } from "../../src/search-index/reader-positions.ts";
import { noPositions } from "../../src/search-index/reader-positions.ts";
import type { Message, MessageRole, Source } from "../../src/session/session.ts";
import { buildSession } from "./builders.ts";
import { FakeHost } from "./fake-host.ts";

export interface ReadingSetup {
  readonly host: FakeHost;
  readonly reader: SessionReader;
}

export interface ReadingOptions {
  readonly source?: Source;
  /** The most messages the host gives in a page, whatever is asked for. */
  readonly pageCap?: number;
  /** What the index knows; null: it has not seen the session. */
  readonly indexed?: readonly Message[] | null;
  readonly archivedFile?: (sessionId: string) => Promise<string | null>;
}

/** One session "ses_1" with these messages. */
export function setUpReading(messages: readonly Message[], options: ReadingOptions = {}): ReadingSetup {
  const { source = "v1", pageCap = 100, indexed = messages, archivedFile = async () => null } = options;
  const host = new FakeHost({ source });
  host.store.putSession(buildSession({ source }), messages);
  const capped: Pick<HostReader, "session" | "messages" | "message" | "cursorBefore"> = {
    session: (id, signal) => host.session(id, signal),
    message: (id, messageId, signal) => host.message(id, messageId, signal),
    cursorBefore: (message) => host.cursorBefore(message),
    messages: (id, page, signal) =>
      host.messages(id, { before: page.before, limit: Math.min(page.limit, pageCap) }, signal),
  };
  const positions = indexed === null ? noPositions : positionsOf(indexed);
  return { host, reader: createSessionReader({ host: capped, positions, archivedFile }) };
}

/** Positions of messages held in an array. */
export function positionsOf(messages: readonly Message[]): MessagePositions {
  const known: MessagePosition[] = messages.flatMap(({ id, createdAt, role }) =>
    role === null ? [] : [{ id, createdAt, role }],
  );
  known.sort((a, b) => order(a, b));
  const of = (role: MessageRole | null) => known.filter((position) => role === null || position.role === role);
  return {
    complete: () => true,
    find: (_session, messageId) => known.find(({ id }) => id === messageId) ?? null,
    after: (_session, place, role, count) =>
      of(role)
        .filter((position) => place === null || order(position, place) > 0)
        .slice(0, count),
    before: (_session, place, role, count) =>
      of(role)
        .filter((position) => place === null || order(position, place) < 0)
        .toReversed()
        .slice(0, count),
  };
}

function order(a: Place, b: Place): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

export interface ExpectedReading {
  readonly before: readonly string[];
  readonly anchor: string | null;
  readonly after: readonly string[];
  readonly more: boolean;
}

/** What a stretch of a session is, by definition: the whole session in memory, filtered, then cut. */
export function expectedReading(
  messages: readonly Message[],
  stretch: Stretch,
  role: MessageRole | null,
): ExpectedReading {
  const id = stretch.kind === "around" ? stretch.messageId : stretch.cursor;
  const at = messages.findIndex((message) => message.id === id);
  const isEligible = (message: Message) => message.role !== null && (role === null || message.role === role);
  const idsOf = (some: readonly Message[]) => some.filter(isEligible).map((message) => message.id);
  const earlier = idsOf(messages.slice(0, Math.max(at, 0)));
  const later = idsOf(messages.slice(at + 1));
  const isAround = stretch.kind === "around";
  const count = isAround ? stretch.after : stretch.limit;
  return {
    before: isAround ? earlier.slice(Math.max(0, earlier.length - stretch.before)) : [],
    anchor: isAround ? (idsOf(messages.slice(at, at + 1))[0] ?? null) : null,
    after: later.slice(0, count),
    more: later.length > count,
  };
}
