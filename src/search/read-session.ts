/**
 * Read session: a window around a message or the page after a cursor, without reading the whole session.
 *
 * Hosts page backwards only. To read forwards, the index tells which message lies just beyond the stretch, and the
 * walk goes back from there. It is a hint: the pages decide, and when the hint fell short the walk starts further on.
 */

import type { HostReader } from "../host/host.ts";
import { isIndexFailure, type MessagePositions, type Place } from "../search-index/reader-positions.ts";
import type { Message, MessageRole } from "../session/session.ts";
import { collectAround, isEligible, type Neighbours, type Target, type Wanted } from "./read-session-collect.ts";
import { PageMarks } from "./read-session-marks.ts";
import { missingPlace, missingSession } from "./read-session-missing.ts";
import { RecentPlaces } from "./read-session-places.ts";
import {
  ReadError,
  type Reading,
  type ReadEntry,
  type ReadRequest,
  type SessionReader,
} from "./read-session-request.ts";
import { revertedAmong } from "./read-session-reverted.ts";
import { collectSingly } from "./read-session-singly.ts";
import { PAGE_LIMIT, type WalkStart } from "./read-session-walk.ts";

export interface SessionReaderOptions {
  readonly host: Pick<HostReader, "session" | "messages" | "message" | "cursorBefore">;
  readonly positions: MessagePositions;
  /** The archive's file of a session; null when it has none. Named where the host no longer has the session. */
  readonly archivedFile: (sessionId: string) => Promise<string | null>;
}

export function createSessionReader(options: SessionReaderOptions): SessionReader {
  const { host, positions, archivedFile } = options;
  const marks = new PageMarks();
  const places = new RecentPlaces();

  const isOrdered = host.cursorBefore({ id: "", createdAt: 0 }) !== null;

  /** Where the walk may start so that it passes `count` wanted messages before it meets the place. */
  function walkStart(sessionId: string, place: Place | null, wanted: Wanted, count: number): WalkStart {
    try {
      if (isOrdered && positions.complete(sessionId)) {
        const beyond = positions.after(sessionId, place, wanted.role, count + 1)[count];
        const before = beyond === undefined ? null : host.cursorBefore(beyond);
        return { before, limit: wanted.role === null ? wanted.before + 1 + count : PAGE_LIMIT };
      }
    } catch (error) {
      if (!isIndexFailure(error)) throw error;
    }
    return { before: marks.beyond(sessionId, place, count), limit: PAGE_LIMIT };
  }

  async function collectByPages(request: ReadRequest, target: Target | null, place: Place | null, wanted: Wanted) {
    const { sessionId, signal } = request;
    // One more than wanted shows whether there are more, so the end of the session need not be looked at.
    let count = wanted.after + 1;
    for (;;) {
      const start = walkStart(sessionId, place, wanted, count);
      try {
        const found = await collectAround(host, sessionId, target, wanted, start, signal, (page) =>
          marks.record(sessionId, page),
        );
        if (start.before === null || (found.met && found.after.length > wanted.after)) return found;
        count *= 4;
      } catch (error) {
        // A remembered cursor may be refused when its message is gone; the session's end can always be asked for.
        if (start.before === null || signal.aborted || error instanceof ReadError || !marks.forget(sessionId)) {
          throw error;
        }
      }
    }
  }

  async function collect(request: ReadRequest, message: Message | null, place: Place | null): Promise<Neighbours> {
    const wanted = wantedOf(request);
    const { role } = wanted;
    if (role !== null && isOrdered && (place === null || message !== null)) {
      const found = await collectByIndex(request, place, { ...wanted, role });
      if (found !== null) return found;
    }
    const target = place === null ? null : { id: place.id, place: message === null ? place : null };
    const found = await collectByPages(request, target, place, wanted);
    if (!found.met) throw await missing(request);
    return found;
  }

  /** null when the index does not know enough, or cannot be read. */
  async function collectByIndex(
    { sessionId, signal }: ReadRequest,
    place: Place | null,
    wanted: Wanted & { readonly role: MessageRole },
  ): Promise<Neighbours | null> {
    try {
      const isKnown = place === null || positions.find(sessionId, place.id) !== null;
      if (!isKnown || !positions.complete(sessionId)) return null;
      return await collectSingly(host, positions, sessionId, place, wanted, signal);
    } catch (error) {
      if (isIndexFailure(error)) return null;
      throw error;
    }
  }

  async function missing({ sessionId, stretch, signal }: ReadRequest): Promise<ReadError> {
    const session = await host.session(sessionId, signal);
    return session === null
      ? missingSession(sessionId, await archivedFile(sessionId))
      : missingPlace(sessionId, stretch);
  }

  return {
    async read(request): Promise<Reading> {
      const { sessionId, stretch, role, signal } = request;
      signal.throwIfAborted();
      const session = await host.session(sessionId, signal);
      if (session === null) throw missingSession(sessionId, await archivedFile(sessionId));

      const placeId = stretch.kind === "around" ? stretch.messageId : stretch.cursor;
      const message = placeId === null ? null : await host.message(sessionId, placeId, signal);
      // A page's last message may be removed before the next page is asked for: its place is still known.
      const remembered = placeId === null || stretch.kind === "around" ? null : places.find(sessionId, placeId);
      const place = message ?? remembered;
      if (placeId !== null && place === null) throw await missing(request);

      const found = await collect(request, message, place);
      const after = found.after.slice(0, wantedOf(request).after);
      const anchor = stretch.kind === "around" && message !== null && isEligible(message, role) ? message : null;
      const all = [...found.before, ...(message === null ? [] : [message]), ...after];
      const isReverted = await revertedAmong(host, session, all, signal);
      const entry = (one: Message): ReadEntry => ({ message: one, reverted: isReverted(one) });
      for (const returned of all) places.remember(sessionId, returned);
      return {
        sessionId,
        before: found.before.map(entry),
        anchor: anchor === null ? null : entry(anchor),
        after: after.map(entry),
        more: found.after.length > after.length,
      };
    },
  };
}

function wantedOf({ stretch, role }: ReadRequest): Wanted {
  return stretch.kind === "around"
    ? { before: stretch.before, after: stretch.after, role }
    : { before: 0, after: stretch.limit, role };
}
