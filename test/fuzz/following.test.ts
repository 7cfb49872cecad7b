import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { Session } from "../../src/session/session.ts";
import type { SearchIndex } from "../../src/search-index/search-index.ts";
import { sql } from "../../src/sqlite/sql.ts";
import { createSync } from "../../src/sync/sync.ts";
import { disagreements } from "../search-index/agreement.ts";
import { openTestIndex, removeFolder, rows, temporaryFolder } from "../search-index/opened-index.ts";
import { buildSession, BUILT_AT, userMessage } from "../support/builders.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type FakeFailure, FakeHost, type FakeStore } from "../support/fake-host.ts";
import { startSync } from "../support/sync-harness.ts";
import { MANY_CASES } from "../support/test-size.ts";
import { hold } from "./hold.ts";

/** What happens in the host, to the clock, to the host's answers and to its events, one thing after another. */
type Step =
  | { readonly kind: "say"; readonly session: number; readonly message: number; readonly text: string }
  | { readonly kind: "unsay"; readonly session: number; readonly message: number }
  | { readonly kind: "change"; readonly session: number; readonly change: Partial<Session> }
  | { readonly kind: "delete"; readonly session: number }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "jump"; readonly ms: number }
  | { readonly kind: "answers"; readonly failure: FakeFailure | null; readonly every: number }
  /** Events are missed until that is noticed, at the next wait. */
  | { readonly kind: "deaf" }
  | { readonly kind: "lost" };

const SESSIONS = 4;
const HOUR_MS = 3_600_000;

function steps(): fc.Arbitrary<readonly Step[]> {
  const session = fc.nat({ max: SESSIONS - 1 });
  const message = fc.nat({ max: 30 });
  const jumps = [-24 * HOUR_MS, -HOUR_MS, -1, 1, HOUR_MS, 400 * 24 * HOUR_MS];
  const failures = ["error", "unavailable", "never", "malformed-cursor", "repeated-cursor", "half-page", null] as const;
  const step = fc.oneof<fc.WeightedArbitrary<Step>[]>(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("say" as const),
        session,
        message,
        text: fc.constantFrom("a", "b", "c"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("unsay" as const), session, message }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("change" as const),
        session,
        change: fc.constantFrom<Partial<Session>>(
          { title: "renamed" },
          { archivedAt: BUILT_AT },
          { revert: { messageId: "msg_0_3", partId: null } },
          { revert: null },
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), session }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(50, 1500, 20_000) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("jump" as const), ms: fc.constantFrom(...jumps) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("answers" as const),
        failure: fc.constantFrom(...failures),
        every: fc.integer({ min: 1, max: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "deaf" as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: "lost" as const }) },
  );
  return fc.array(step, { minLength: 1, maxLength: 25 });
}

type Played = Pick<ReturnType<typeof startSync>, "host" | "store" | "clock" | "send">;

/** None, 25, 50… messages in each session. */
function fill(store: FakeStore): void {
  for (let place = 0; place < SESSIONS; place += 1) {
    const id = `ses_${place}`;
    const messages = Array.from({ length: place * 25 }, (_, count) =>
      userMessage(`msg_${place}_${count}`, "old", { sessionId: id, createdAt: BUILT_AT + count * 1000 }),
    );
    store.putSession(buildSession({ id }), messages);
  }
}

/** What the host holds: titles and texts, by session and message. */
function heldBy(store: FakeStore): unknown {
  return Object.fromEntries(
    [...store.sessions].map(([id, { session, messages }]) => [
      id,
      {
        title: session.title,
        archivedAt: session.archivedAt,
        texts: Object.fromEntries(
          messages.map(({ id: messageId, parts: [part] }) => [messageId, part?.type === "text" ? part.text : ""]),
        ),
      },
    ]),
  );
}

async function play({ host, store, clock, send }: Played, all: readonly Step[]): Promise<void> {
  let isHeard = true;
  let ticks = 0;
  // No two moments are alike, or a change whose event was missed would be seen by nobody.
  const now = () => clock.now() + (ticks += 1);
  const noticeLoss = () => {
    if (!isHeard) send({ type: "stream-lost" });
    isHeard = true;
  };
  const tell: typeof send = (event) => {
    if (isHeard) send(event);
  };
  for (const step of all) {
    const sessionId = "session" in step ? `ses_${step.session}` : "";
    const stored = store.sessions.get(sessionId);
    switch (step.kind) {
      case "say": {
        const messageId = `msg_${step.session}_${step.message}`;
        // A deleted session does not come back under its id.
        if (stored === undefined) break;
        const createdAt = BUILT_AT + step.message * 1000;
        store.putMessage(userMessage(messageId, step.text, { sessionId, createdAt }));
        store.changeSession(sessionId, { updatedAt: now() });
        tell({ type: "message-changed", sessionId, messageId });
        break;
      }
      case "unsay": {
        const messageId = `msg_${step.session}_${step.message}`;
        if (stored?.messageIds.has(messageId) !== true) break;
        store.removeMessage(sessionId, messageId);
        store.changeSession(sessionId, { updatedAt: now() });
        tell({ type: "message-removed", sessionId, messageId });
        break;
      }
      case "change":
        if (stored !== undefined)
          tell({ type: "session-changed", sessionId, session: store.changeSession(sessionId, step.change) });
        break;
      case "delete":
        if (stored === undefined) break;
        store.deleteSession(sessionId);
        // Of all that may be missed, a deletion alone is told by nothing else.
        send({ type: "session-deleted", sessionId, at: clock.now() });
        break;
      case "wait":
        await clock.advance(step.ms);
        noticeLoss();
        break;
      case "jump":
        clock.jump(step.ms);
        break;
      case "answers": {
        let calls = 0;
        host.failWhen(() => ((calls += 1) % step.every === 0 ? step.failure : null));
        break;
      }
      case "deaf":
        isHeard = false;
        break;
      case "lost":
        send({ type: "stream-lost" });
    }
  }
  noticeLoss();
}

test("whatever happens on the way, a sink ends as the host is", MANY_CASES, async () => {
  await hold(
    fc.asyncProperty(steps(), async (all) => {
      const started = startSync({ listingPage: 2, latencyMs: 5 });
      const { host, store, clock, sink, sync } = started;
      fill(store);
      await play(started, all);
      host.failWhen(() => null);
      // The next listing comes within ten minutes, a failed session's next attempt too.
      await clock.advance(25 * 60_000);
      const held = [...sink.held].map(([id, { session }]) => {
        return [id, { title: session.title, archivedAt: session.archivedAt, texts: sink.texts(id) }] as const;
      });
      expect(Object.fromEntries(held)).toEqual(heldBy(store));
      expect(sync.progress()).toMatchObject({ sessionsFailing: 0, sessionsLeft: 0, trouble: null });
      await sync.stop();
    }),
    { bounded: 25, full: 2000 },
  );
});

/** What the index holds, as `heldBy` tells it of the host. */
function indexedIn(index: SearchIndex): unknown {
  const sessions = rows(index, sql`SELECT key, id, title, archived_at FROM sessions WHERE removed_at IS NULL`);
  return Object.fromEntries(
    sessions.map(({ key = null, id, title, archived_at: archivedAt }) => {
      const documents = rows(
        index,
        sql`SELECT message_id, text FROM documents WHERE session_key = ${key} AND message_id <> ''`,
      );
      const texts = Object.fromEntries(documents.map(({ message_id: messageId, text }) => [messageId, text]));
      return [id, { title, archivedAt, texts }];
    }),
  );
}

test("whatever happens on the way, the index ends as the host is, and agrees with itself", MANY_CASES, async () => {
  await hold(
    fc.asyncProperty(steps(), async (all) => {
      const directory = temporaryFolder();
      const clock = new FakeClock();
      const index = await openTestIndex(directory, { clock });
      const host = new FakeHost({ clock, listingPage: 2, latencyMs: 5 });
      const sync = createSync({ clock });
      const attachment = sync.attach(host, [index]);
      try {
        fill(host.store);
        await play({ host, store: host.store, clock, send: (event) => attachment.onEvent(event) }, all);
        host.failWhen(() => null);
        await clock.advance(25 * 60_000);
        expect(indexedIn(index)).toEqual(heldBy(host.store));
        expect(disagreements(index.readConnection())).toEqual([]);
      } finally {
        await sync.stop();
        await index.close();
        removeFolder(directory);
      }
    }),
    { bounded: 15, full: 500 },
  );
});
