/** Host state: what the parts of a fake OpenCode 2.x share: its clock, ids, store, stream and scripts. */

import type { Step } from "../step.ts";
import { createEventBus, type EventBus } from "./event-bus.ts";
import { createStore, type Json, type Store, type StoredMessage, type StoredSession } from "./store.ts";
import { createToolBox, type ToolBox } from "./tool-box.ts";

export interface HostState {
  readonly store: Store;
  readonly bus: EventBus;
  /** Epoch milliseconds, a later one each time. */
  now(): number;
  id(prefix: "ses" | "msg" | "call" | "per"): string;
  /** The tools of a location, shared by all its plugins. */
  toolBox(directory: string): ToolBox;
  /** Answers the prompt with these steps. */
  script(prompt: string, steps: readonly Step[]): void;
  stepsFor(prompt: string): readonly Step[];
  /** Writes a session and tells it, in the session's own location. */
  change(session: StoredSession, type: string, data?: Json): void;
  /** Stores a message and tells it. */
  tell(sessionId: string, message: StoredMessage, type: string, data?: Json): void;
  /** Tells something about a session; a few types name no location (§2.9). */
  emit(sessionId: string, type: string, data?: Json): void;
}

const WITHOUT_LOCATION = /^session\.(?:execution\.|usage\.updated$)/u;

export function createHostState(options: { readonly early: boolean }): HostState {
  let time = 0;
  let ids = 0;
  const now = (): number => {
    time = Math.max(Date.now(), time + 1);
    return time;
  };
  const store = createStore();
  const bus = createEventBus(now);
  const boxes = new Map<string, ToolBox>();
  const scripts = new Map<string, readonly Step[]>();

  const emit = (sessionID: string, type: string, data: Json = {}): void => {
    const directory = store.sessions.get(sessionID)?.location.directory ?? null;
    bus.publish(type, { sessionID, ...data }, WITHOUT_LOCATION.test(type) ? null : directory);
  };
  return {
    store,
    bus,
    now,
    id(prefix) {
      ids += 1;
      return `${prefix}_${ids.toString(16).padStart(12, "0")}f2`;
    },
    toolBox(directory) {
      const box = boxes.get(directory) ?? createToolBox(options);
      boxes.set(directory, box);
      return box;
    },
    script: (prompt, steps) => void scripts.set(prompt, steps),
    stepsFor: (prompt) =>
      [...scripts].findLast(([known]) => prompt.includes(known))?.[1] ?? [{ text: `ok: ${prompt}` }],
    change(session, type, data) {
      store.putSession(session);
      emit(session.id, type, data);
    },
    tell(sessionId, message, type, data) {
      store.putMessage(sessionId, message);
      emit(sessionId, type, data);
    },
    emit,
  };
}
