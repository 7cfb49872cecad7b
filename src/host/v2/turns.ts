/**
 * Turns: when the running turn of each session began, learned from the event stream. A turn begins with a person's
 * message, and everything from there on is hidden from the searches of that turn.
 */

import { fieldsOf, nameOf } from "../fields.ts";
import type { RawEvent } from "./raw-event.ts";

export interface Turns {
  note(event: RawEvent): void;
  /** Epoch milliseconds; null when the beginning was not seen. */
  startedAt(sessionId: string): number | null;
}

/** Sessions and waiting inputs remembered; the oldest are forgotten first. */
const CAPACITY = 1000;

/** `session.input.*` before 2.0.0, `session.inbox.*` since. */
const WAITING = new Set(["session.inbox.enqueued", "session.input.admitted"]);
const BEGUN = new Set(["session.inbox.delivered", "session.input.promoted"]);

export function createTurns(): Turns {
  /** When each waiting input was written, by its id; null for what the host itself puts in, which begins no turn. */
  const waiting = new Map<string, number | null>();
  const begun = new Map<string, number | null>();
  return {
    note({ type, sessionId, created, data }) {
      const input = nameOf(data["inboxID"]) ?? nameOf(data["inputID"]);
      if (sessionId === null || input === null) return;
      if (WAITING.has(type)) {
        remember(waiting, input, isPersons(data["item"]) ? created : null);
      } else if (BEGUN.has(type)) {
        const writtenAt = waiting.get(input);
        waiting.delete(input);
        // One whose writing was not seen (undefined) may be a person's: then the turn is unknown again.
        if (writtenAt !== null) remember(begun, sessionId, writtenAt ?? null);
      }
    },
    startedAt: (sessionId) => begun.get(sessionId) ?? null,
  };
}

function isPersons(item: unknown): boolean {
  return fieldsOf(item)["type"] === "user";
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= CAPACITY) break;
    map.delete(oldest);
  }
}
