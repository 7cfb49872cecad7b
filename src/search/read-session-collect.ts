/** Collect: the eligible messages around a target, out of pages walked backwards. */

import type { HostReader, MessagePage } from "../host/host.ts";
import type { Place } from "../search-index/reader-positions.ts";
import type { Message, MessageRole } from "../session/session.ts";
import { type WalkStart, walkBack } from "./read-session-walk.ts";

/** The place to collect around. */
export interface Target {
  /** The message that stands there, met by its id. */
  readonly id: string;
  /** Where it stood in time, when the message may be gone: then the place is also met by passing it. Else null. */
  readonly place: Place | null;
}

export interface Wanted {
  readonly before: number;
  readonly after: number;
  readonly role: MessageRole | null;
}

export interface Neighbours {
  /** Whether the target was met; without a target, whether the session's start was. */
  readonly met: boolean;
  /** At most `wanted.before` eligible messages, oldest first. */
  readonly before: readonly Message[];
  /** The target's message, eligible or not; null when it is gone. */
  readonly at: Message | null;
  /** At most `wanted.after + 1` eligible messages, oldest first: the last one only tells that there are more. */
  readonly after: readonly Message[];
}

export function isEligible(message: Message, role: MessageRole | null): boolean {
  return message.role !== null && (role === null || message.role === role);
}

/** For lack of the message itself, its time decides, and its id only where times are equal. */
function isOlder(message: Place, place: Place): boolean {
  return message.createdAt < place.createdAt || (message.createdAt === place.createdAt && message.id < place.id);
}

/**
 * Walks back from `start` until enough is collected. Holds a page and what is wanted in memory, never more.
 * @param target null: the session's start
 * @param onPage sees every page that was walked
 */
export async function collectAround(
  host: Pick<HostReader, "messages">,
  sessionId: string,
  target: Target | null,
  wanted: Wanted,
  start: WalkStart,
  signal: AbortSignal,
  onPage: (page: MessagePage) => void = () => undefined,
): Promise<Neighbours> {
  const after: Message[] = [];
  const before: Message[] = [];
  let at: Message | null = null;
  let met = false;
  for await (const page of walkBack(host, sessionId, start, signal)) {
    onPage(page);
    for (const message of page.messages.toReversed()) {
      if (!met && target !== null) {
        if (message.id === target.id) {
          met = true;
          at = message;
          continue;
        }
        met = target.place !== null && isOlder(message, target.place);
      }
      if (!isEligible(message, wanted.role)) continue;
      if (!met) {
        after.unshift(message);
        after.length = Math.min(after.length, wanted.after + 1);
      } else if (before.length < wanted.before) {
        before.unshift(message);
      }
    }
    if (page.older === null && (target === null || target.place !== null)) met = true;
    if (met && before.length >= wanted.before) break;
  }
  return { met, before, at, after };
}
