/** Refresh request: what the events since the last refresh of a session say has to be looked at. */

import type { HostEvent } from "../host/host.ts";

export interface RefreshRequest {
  /** Messages known to have changed. */
  readonly messageIds: Set<string>;
  /** Messages known to be gone. */
  readonly removedIds: Set<string>;
  /** Whether the session must be compared from its newest message to its first. */
  whole: boolean;
  /** Whether events of this session may have been lost: it is compared as a whole, but nobody waits for that. */
  suspect: boolean;
  /** When the host last announced an error of the session, epoch milliseconds. */
  errorAt: number | null;
  /** When the session was deleted, epoch milliseconds. */
  deletedAt: number | null;
  /** Whether there is more to do than a deletion. */
  changed: boolean;
}

/** Names kept for one refresh. Where more changed, walking the whole session is cheaper than asking one by one. */
export const MOST_NAMED = 200;

export function newRequest(given: Partial<RefreshRequest> = {}): RefreshRequest {
  return {
    messageIds: new Set(),
    removedIds: new Set(),
    whole: false,
    suspect: false,
    errorAt: null,
    deletedAt: null,
    changed: true,
    ...given,
  };
}

/** What an event asks for; null when it says nothing about what a sink keeps. */
export function requestOf(event: HostEvent): RefreshRequest | null {
  switch (event.type) {
    case "session-created":
    case "session-changed":
    case "session-idle":
      return newRequest();
    case "session-deleted":
      return newRequest({ deletedAt: event.at, changed: false });
    case "session-compacted":
      return newRequest({ whole: true });
    case "session-error":
    case "session-retry":
      return newRequest({ errorAt: event.at });
    case "message-changed":
    case "tool-finished":
    case "part-removed":
      return newRequest({ messageIds: new Set(event.messageId === null ? [] : [event.messageId]) });
    case "message-removed":
      return newRequest({ removedIds: new Set([event.messageId]), whole: true });
    case "session-busy":
    case "permission-asked":
    case "permission-replied":
    case "todos-changed":
    case "stream-lost":
      return null;
  }
}

/**
 * Adds a later request to an earlier one and returns it. The earlier one is changed in place: a storm of 80,000 events
 * copies nothing.
 */
export function mergeRequests(earlier: RefreshRequest, later: RefreshRequest): RefreshRequest {
  if (later.deletedAt !== null) {
    // Whatever came before the deletion is gone with it.
    return newRequest({ ...later, deletedAt: Math.max(later.deletedAt, earlier.deletedAt ?? later.deletedAt) });
  }
  for (const id of later.messageIds) {
    earlier.removedIds.delete(id);
    addName(earlier, earlier.messageIds, id);
  }
  for (const id of later.removedIds) {
    earlier.messageIds.delete(id);
    addName(earlier, earlier.removedIds, id);
  }
  earlier.whole ||= later.whole;
  earlier.suspect ||= later.suspect;
  earlier.changed ||= later.changed;
  if (later.errorAt !== null) earlier.errorAt = Math.max(later.errorAt, earlier.errorAt ?? later.errorAt);
  return earlier;
}

function addName(request: RefreshRequest, names: Set<string>, id: string): void {
  if (names.size < MOST_NAMED) names.add(id);
  else if (!names.has(id)) request.whole = true;
}
