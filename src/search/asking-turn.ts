/**
 * Asking turn: the part of the history that is happening now, in the session that asks and, for a sub-agent, in the
 * sessions above it. A search must find what was said before, not the question itself.
 */

import type { IndexReader } from "../search-index/reader.ts";
import { ALL_TIME } from "../search-index/reader-documents.ts";
import type { Asker } from "./request.ts";

export interface AskingTurn {
  /** Messages of a session count when they are older than this (epoch ms). */
  startIn(sessionKey: number): number;
  /** Whether nothing in the session is older than the asking turn: then even its title is part of the question. */
  isWholeSession(sessionKey: number): boolean;
}

export function findAskingTurn(reader: IndexReader, asker: Asker): AskingTurn {
  const starts = new Map<number, number>();
  let session = asker.sessionId === null ? null : reader.sessions.byId(asker.sessionId);
  let knownStart = asker.turnStartedAt;
  while (session !== null && !starts.has(session.key)) {
    // Without any user message in the index, what is there of the session belongs to its first turn.
    starts.set(session.key, knownStart ?? reader.documents.lastUserMessageAt(session.key) ?? ALL_TIME.from);
    knownStart = null;
    session = session.parentId === null ? null : reader.sessions.byId(session.parentId);
  }
  const hasOlder = ([key, start]: readonly [number, number]): boolean =>
    reader.documents.has(key, { role: null, from: ALL_TIME.from, to: start });
  const whole = new Set([...starts].filter((entry) => !hasOlder(entry)).map(([key]) => key));
  return {
    startIn: (sessionKey) => starts.get(sessionKey) ?? ALL_TIME.to,
    isWholeSession: (sessionKey) => whole.has(sessionKey),
  };
}
