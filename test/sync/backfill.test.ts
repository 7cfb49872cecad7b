import { describe, expect, it } from "vitest";

import { buildConversation, buildSession, BUILT_AT, userMessage } from "../support/builders.ts";
import type { FakeStore } from "../support/fake-host.ts";
import { startSync } from "../support/sync-harness.ts";

const MINUTES_MS = 60_000;

/** Puts sessions ses_001, ses_002…, each a minute more recent than the one before. */
function putSessions(store: FakeStore, count: number, messages = 3): string[] {
  return Array.from({ length: count }, (_, index) => {
    const id = `ses_${String(index + 1).padStart(3, "0")}`;
    const startedAt = BUILT_AT + index * MINUTES_MS;
    store.putSession(
      buildSession({ id, createdAt: startedAt, updatedAt: startedAt }),
      buildConversation(id, messages, { startedAt }),
    );
    return id;
  });
}

/** Pages of a long session read in eight seconds, while the host is at work or not. */
async function readIn(isBusy: boolean): Promise<number> {
  const { clock, store, host, send } = startSync({ latencyMs: 100 });
  store.putSession(buildSession(), buildConversation("ses_1", 8000));
  await clock.advance(2000);
  host.calls.length = 0;
  for (let second = 0; second < 8; second += 1) {
    if (isBusy) send({ type: "session-busy", sessionId: "ses_2" });
    await clock.advance(1000);
  }
  return host.count("messages");
}

describe("backfill", () => {
  it("does not call the host before it has returned, nor in its first moment", async () => {
    const { clock, host } = startSync();
    expect(host.calls).toEqual([]);
    await clock.advance(299);
    expect(host.calls).toEqual([]);
  });

  it("stores every session that is listed, over all pages", async () => {
    const { clock, store, sink, sync } = startSync({ listingPage: 7 });
    const ids = putSessions(store, 40);
    await clock.advance(20_000);
    expect([...sink.held.keys()].sort()).toEqual(ids);
    expect(sync.progress()).toEqual({
      sessionsKnown: 40,
      isListingCurrent: true,
      sessionsLeft: 0,
      first: "done",
      trouble: null,
      sessionsFailing: 0,
    });
  });

  it("takes the newest first", async () => {
    const { clock, store, sink } = startSync({ latencyMs: 50 });
    const ids = putSessions(store, 30);
    await clock.advance(60_000);
    const order = sink.opened.map((id) => ids.indexOf(id));
    for (const [place, index] of order.entries()) expect(Math.abs(29 - index - place)).toBeLessThanOrEqual(1);
  });

  it("tells of its beginning and end, and of each listing", async () => {
    const { clock, store, progress } = startSync();
    putSessions(store, 5);
    await clock.advance(25 * MINUTES_MS);
    expect(progress.map(({ first, sessionsKnown, sessionsLeft }) => [first, sessionsKnown, sessionsLeft])).toEqual([
      ["running", 5, 5],
      ["done", 5, 0],
      ["done", 5, 0],
      ["done", 5, 0],
    ]);
  });

  it("fills a sink again that lost what it held, when told", async () => {
    const { clock, store, sink, sync } = startSync();
    putSessions(store, 5);
    await clock.advance(20_000);
    sink.held.clear();
    sync.listAgain();
    await clock.advance(5000);
    expect(sink.held.size).toBe(5);
  });

  it("does not call a listing current that began before another was asked for", async () => {
    const { clock, store, sync } = startSync({ latencyMs: 200, listingPage: 2 });
    putSessions(store, 10);
    const isCurrent = () => sync.progress().isListingCurrent;
    expect(isCurrent()).toBe(false);
    await clock.advance(1000);
    sync.listAgain();
    await clock.advance(2000);
    expect(sync.progress().sessionsKnown).toBe(10);
    expect(isCurrent()).toBe(false);
    await clock.advance(20_000);
    expect(isCurrent()).toBe(true);
    sync.listAgain();
    expect(isCurrent()).toBe(false);
    await clock.advance(20_000);
    expect(isCurrent()).toBe(true);
  });

  it("reads nothing but the listing when everything is up to date", async () => {
    const { clock, store, host, sink } = startSync();
    putSessions(store, 20);
    await clock.advance(20_000);
    host.calls.length = 0;
    await clock.advance(30 * MINUTES_MS);
    expect(host.calls.every(({ method }) => method === "sessions")).toBe(true);
    expect(host.calls.length).toBe(3);
    expect(sink.opened).toHaveLength(20);
  });

  it("finds within ten minutes what happened without any event (case 70)", async () => {
    const { clock, store, sink } = startSync();
    putSessions(store, 20);
    await clock.advance(20_000);
    store.changeSession("ses_004", { title: "Renamed elsewhere" });
    store.putMessage(userMessage("msg_x", "said elsewhere", { sessionId: "ses_005", createdAt: clock.now() }));
    store.putSession(buildSession({ id: "ses_new" }), buildConversation("ses_new", 2));
    await clock.advance(11 * MINUTES_MS);
    expect(sink.held.get("ses_004")?.session.title).toBe("Renamed elsewhere");
    expect(sink.texts("ses_005")).toMatchObject({ msg_x: "said elsewhere" });
    expect(sink.ids("ses_new")).toHaveLength(2);
    expect(sink.opened).toHaveLength(23);
  });

  it("finds within seconds what happened while the event stream was lost", async () => {
    const { clock, store, sink, host, send } = startSync();
    putSessions(store, 20);
    await clock.advance(20_000);
    store.putMessage(userMessage("msg_x", "said unheard", { sessionId: "ses_005", createdAt: clock.now() }));
    store.removeMessage("ses_005", "msg_ses_005_0001");
    host.calls.length = 0;
    for (let time = 0; time < 100; time += 1) send({ type: "stream-lost" });
    await clock.advance(6000);
    expect(sink.ids("ses_005")).toEqual(["msg_ses_005_0002", "msg_ses_005_0003", "msg_x"]);
    expect(host.count("sessions")).toBe(1);
  });

  it("lists at most every five seconds, however often the stream is lost", async () => {
    const { clock, store, host, send } = startSync();
    putSessions(store, 2);
    await clock.advance(20_000);
    host.calls.length = 0;
    for (let second = 0; second < 60; second += 1) {
      send({ type: "stream-lost" });
      await clock.advance(1000);
    }
    expect(host.count("sessions")).toBeGreaterThanOrEqual(8);
    expect(host.count("sessions")).toBeLessThanOrEqual(13);
  });

  it("keeps sessions that the listing does not name (case 84)", async () => {
    const { clock, store, sink } = startSync();
    putSessions(store, 4);
    await clock.advance(20_000);
    store.sessions.delete("ses_002");
    await clock.advance(25 * MINUTES_MS);
    expect(sink.ids("ses_002")).toHaveLength(3);
    expect(sink.tombstones.size).toBe(0);
  });

  it("does not bring back what was deleted (case 53)", async () => {
    const { clock, store, sink, send } = startSync();
    putSessions(store, 4);
    await clock.advance(20_000);
    const deleted = store.sessions.get("ses_002");
    store.deleteSession("ses_002");
    send({ type: "session-deleted", sessionId: "ses_002", at: clock.now() });
    await clock.advance(1000);
    if (deleted !== undefined) store.sessions.set("ses_002", deleted);
    await clock.advance(25 * MINUTES_MS);
    expect([...sink.held.keys()].sort()).toEqual(["ses_001", "ses_003", "ses_004"]);
  });

  it("goes on where another one stopped: nothing is stored twice", async () => {
    const first = startSync({ latencyMs: 100 });
    putSessions(first.store, 20);
    first.store.putSession(
      buildSession({ id: "ses_long", updatedAt: BUILT_AT + 30 * MINUTES_MS }),
      buildConversation("ses_long", 2000),
    );
    await first.clock.advance(3000);
    await first.sync.stop();
    const { putCount } = first.sink;
    expect(putCount).toBeGreaterThan(0);
    expect(first.sink.held.get("ses_long")?.complete ?? false).toBe(false);

    const second = startSync({ sink: first.sink, store: first.store, clock: first.clock });
    await first.clock.advance(60_000);
    expect(first.sink.ids("ses_long")).toHaveLength(2000);
    expect(first.sink.putCount).toBe(2060);
    await second.sync.stop();
  });

  it("goes on with a long session at the page that failed (case 71)", async () => {
    const { clock, store, host, sink } = startSync();
    store.putSession(buildSession(), buildConversation("ses_1", 5000));
    let pages = 0;
    host.failWhen(({ method }) => {
      if (method === "messages") pages += 1;
      return method === "messages" && pages % 10 === 0 ? "error" : null;
    });
    await clock.advance(120_000);
    expect(sink.ids("ses_1")).toHaveLength(5000);
    expect(host.count("messages")).toBeLessThan(125);
  });

  it("is not held up by sessions that fail or hang, says so once each, and tries them without end (case 75)", async () => {
    const { clock, store, host, sink, sync, lines } = startSync({ callMs: 1000 });
    putSessions(store, 100);
    host.failWhen(({ method, sessionId }) => {
      if (method !== "messages") return null;
      if (sessionId === "ses_099") return "error";
      return sessionId === "ses_098" ? "never" : null;
    });
    await clock.advance(30_000);
    expect(sink.held.size).toBe(98);
    expect(sync.progress()).toMatchObject({ first: "done", sessionsLeft: 0, sessionsFailing: 2 });
    await clock.advance(120 * MINUTES_MS);
    expect(lines.map(({ fields }) => fields["session"])).toEqual(["ses_099", "ses_098"]);
    const tries = host.count("messages", "ses_099");
    expect(tries).toBeGreaterThanOrEqual(18);
    expect(tries).toBeLessThanOrEqual(35);
    host.failWhen(() => null);
    await clock.advance(10 * MINUTES_MS);
    expect(sink.held.size).toBe(100);
    expect(sync.progress().sessionsFailing).toBe(0);
  });

  it.each(["error", "malformed-cursor", "repeated-cursor", "never"] as const)(
    "works on what a listing gave before it failed (%s), and lists again",
    async (failure) => {
      const { clock, store, host, sink, sync, lines } = startSync({ listingPage: 10, callMs: 1000 });
      putSessions(store, 40);
      let pages = 0;
      host.failWhen(({ method }) => {
        if (method === "sessions") pages += 1;
        return method === "sessions" && pages === 2 ? failure : null;
      });
      await clock.advance(failure === "never" ? 1900 : 900);
      expect(sink.held.size).toBeGreaterThanOrEqual(10);
      expect(sync.progress().sessionsKnown).toBeNull();
      await clock.advance(20_000);
      expect(sink.held.size).toBe(40);
      expect(sync.progress()).toMatchObject({ sessionsKnown: 40, trouble: null });
      expect(lines).toHaveLength(1);
    },
  );

  it("tells why it has nothing while the listing fails", async () => {
    const { clock, host, sync } = startSync();
    host.failWhen(() => "error");
    await clock.advance(60_000);
    expect(sync.progress()).toMatchObject({ sessionsKnown: null, first: "waiting" });
    expect(sync.progress().trouble).toContain("HTTP 500");
  });

  it("waits until the host can be read", async () => {
    const { clock, store, host, sink } = startSync();
    putSessions(store, 3);
    host.ready = false;
    await clock.advance(60_000);
    expect(host.calls).toEqual([]);
    host.ready = true;
    await clock.advance(5000);
    expect(sink.held.size).toBe(3);
  });

  it("compares with each sink only what that sink wants", async () => {
    const { clock, store, sink, archive } = startSync({ archives: ({ id }) => id === "ses_002" });
    putSessions(store, 5);
    await clock.advance(20_000);
    expect(sink.held.size).toBe(5);
    expect([...archive.held.keys()]).toEqual(["ses_002"]);
  });

  it("gives way to a host at work: it rests as long as it reads", async () => {
    const [quiet, busy] = [await readIn(false), await readIn(true)];
    expect(busy / quiet).toBeLessThan(0.6);
    expect(busy / quiet).toBeGreaterThan(0.4);
  });

  it("holds one page of a long session at a time", async () => {
    const { clock, store, host } = startSync({ latencyMs: 10 });
    store.putSession(buildSession(), buildConversation("ses_1", 3000));
    await clock.advance(20_000);
    expect(host.mostUnderWay).toBe(1);
    expect(host.largestPage).toBeLessThanOrEqual(50);
  });
});
