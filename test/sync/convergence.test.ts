/** Whatever happens in the host, and however its events arrive, the sinks end as the host is. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { HostEvent } from "../../src/host/host.ts";
import type { Message, Session } from "../../src/session/session.ts";
import { buildSession, userMessage } from "../support/builders.ts";
import { startSync } from "../support/sync-harness.ts";
import { isFullSize } from "../support/test-size.ts";

const SESSIONS = ["ses_1", "ses_2"] as const;

const step = fc.record({
  what: fc.constantFrom("say", "say", "say", "change", "remove", "rename", "revert", "delete", "jump", "fail", "heal"),
  sessionId: fc.constantFrom(...SESSIONS),
  message: fc.nat(400),
  /** What becomes of the event: it comes, comes twice, comes later than others, or is lost with the stream. */
  event: fc.constantFrom("comes", "comes", "twice", "late", "lost"),
  wait: fc.constantFrom(0, 50, 400, 1100, 7000),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Started = ReturnType<typeof startSync>;

/** Lets a step happen in the host. Returns the events it gives. */
function happen({ clock, host, store }: Started, { what, sessionId, message }: Step, index: number): HostEvent[] {
  const messages = store.sessions.get(sessionId)?.messages;
  if (messages === undefined) return [];
  const chosen = messages[message % Math.max(1, messages.length)];
  const touch = () => store.changeSession(sessionId, { updatedAt: clock.now() + index });
  switch (what) {
    case "say": {
      const said = userMessage(`msg_said_${index}`, `said ${index}`, { sessionId, createdAt: clock.now() + index });
      store.putMessage(said);
      return [{ type: "message-changed", sessionId, messageId: said.id }];
    }
    case "change":
      if (chosen === undefined) return [];
      store.putMessage({ ...chosen, parts: [{ type: "text", id: null, text: `changed ${index}`, synthetic: false }] });
      touch();
      return [{ type: "message-changed", sessionId, messageId: chosen.id }];
    case "remove":
      if (chosen === undefined || messages.length === 1) return [];
      store.removeMessage(sessionId, chosen.id);
      touch();
      return [{ type: "message-removed", sessionId, messageId: chosen.id }];
    case "rename":
      return [{ type: "session-changed", sessionId, session: store.changeSession(sessionId, { title: `T${index}` }) }];
    case "revert": {
      const revert = chosen === undefined ? null : { messageId: chosen.id, partId: null };
      return [{ type: "session-changed", sessionId, session: store.changeSession(sessionId, { revert }) }];
    }
    case "delete":
      store.deleteSession(sessionId);
      return [{ type: "session-deleted", sessionId, at: clock.now() }];
    case "jump":
      clock.jump((message - 200) * 60_000);
      return [];
    case "fail":
      host.failWhen((call) => (call.sessionId === sessionId ? "error" : null));
      return [];
    case "heal":
      host.failWhen(() => null);
      return [];
  }
}

interface Contents {
  readonly session: Session;
  readonly messages: Iterable<Message> | ReadonlyMap<string, { readonly message: Message }>;
}

/** A session and its messages by id, however they are kept; null when there are none. */
function contents(kept: Contents | undefined): unknown {
  if (kept === undefined) return null;
  const { session, messages } = kept;
  const all = messages instanceof Map ? [...messages.values()].map(({ message }) => message) : [...messages];
  return { session, messages: Object.fromEntries(all.map((message) => [message.id, message])) };
}

describe("sync", () => {
  it("ends with what the host holds, whatever events were doubled, late or lost with their stream", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.constantFrom("v1" as const, "v2" as const),
        fc.constantFrom(0, 30, 300),
        async (steps, source, latencyMs) => {
          const started = startSync({ source, latencyMs });
          const { clock, host, store, sink, sync, send } = started;
          for (const [place, id] of SESSIONS.entries()) {
            const count = place === 0 ? 320 : 3;
            const messages = Array.from({ length: count }, (_, index) =>
              userMessage(`msg_${index}`, `message ${index}`, { sessionId: id, createdAt: clock.now() - 1e6 + index }),
            );
            store.putSession(buildSession({ id, source }), messages);
          }
          let late: HostEvent[] = [];
          const deletedUnheard = new Set<string>();
          for (const [index, taken] of steps.entries()) {
            const events = happen(started, taken, index);
            if (taken.event === "late") late.push(...events);
            else if (taken.event === "lost") {
              for (const event of events) if (event.type === "session-deleted") deletedUnheard.add(event.sessionId);
              if (events.length > 0) send({ type: "stream-lost" });
            } else {
              const times = taken.event === "twice" ? 2 : 1;
              for (const event of events) for (let time = 0; time < times; time += 1) send(event);
              for (const event of late) send(event);
              late = [];
            }
            await clock.advance(taken.wait);
          }
          for (const event of late) send(event);
          host.failWhen(() => null);
          await clock.advance(25 * 60_000);

          for (const id of SESSIONS) {
            // An unheard deletion looks like a session that another store owns: it may stay.
            if (!store.sessions.has(id) && deletedUnheard.has(id)) continue;
            expect(contents(sink.held.get(id))).toEqual(contents(store.sessions.get(id)));
          }
          await sync.stop();
        },
      ),
      { numRuns: isFullSize() ? 300 : 20 },
    );
  }, 60_000);
});
