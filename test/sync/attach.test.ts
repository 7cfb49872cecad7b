import { describe, expect, it } from "vitest";

import { buildConversation, buildSession, userMessage } from "../support/builders.ts";
import { FakeHost } from "../support/fake-host.ts";
import { MemorySink } from "../support/memory-sink.ts";
import { startSync } from "../support/sync-harness.ts";

/** A sync with a host for a second directory of the same OpenCode. */
function startTwo(latencyMs = 0) {
  const started = startSync({ latencyMs });
  const { clock, store, sync, sink } = started;
  const other = new FakeHost({ clock, latencyMs, location: { directory: "/w/other", worktree: "/w/other" } }, store);
  const otherAttachment = sync.attach(other, [sink]);
  return { ...started, other, otherAttachment };
}

/** Tells whether a promise has been fulfilled by now. */
function whenDone(promise: Promise<void>): () => boolean {
  let done = false;
  void (async () => {
    await promise;
    done = true;
  })();
  return () => done;
}

describe("several directories in one process", () => {
  it("share one backfill", async () => {
    const { clock, store, host, other, sink } = startTwo();
    store.putSession(buildSession(), buildConversation("ses_1", 4));
    await clock.advance(20_000);
    expect(sink.ids("ses_1")).toHaveLength(4);
    expect(host.count("sessions") + other.count("sessions")).toBe(1);
    expect(sink.opened).toEqual(["ses_1"]);
  });

  it("follow the events of each", async () => {
    const { clock, store, sink, send, otherAttachment } = startTwo();
    await clock.advance(1000);
    for (const id of ["ses_1", "ses_2"]) store.putSession(buildSession({ id }), buildConversation(id, 2));
    send({ type: "session-idle", sessionId: "ses_1" });
    otherAttachment.onEvent({ type: "session-idle", sessionId: "ses_2" });
    await clock.advance(500);
    expect([...sink.held.keys()].sort()).toEqual(["ses_1", "ses_2"]);
  });

  it("go on with the next host when one leaves in the middle of a long session, and never call the one that left", async () => {
    const { clock, store, sink, attachment, host, other } = startTwo(50);
    store.putSession(buildSession(), buildConversation("ses_1", 3000));
    await clock.advance(2000);
    const detached = attachment.detach();
    await clock.advance(0);
    await detached;
    const calls = host.calls.length;
    await clock.advance(60_000);
    expect(host.calls.length).toBe(calls);
    expect(sink.ids("ses_1")).toHaveLength(3000);
    expect(other.count("messages")).toBeGreaterThan(10);
  });

  it("list again with the next host when one leaves in the middle of the listing", async () => {
    const { clock, store, sink, attachment } = startTwo(200);
    store.putSession(buildSession(), buildConversation("ses_1", 3));
    await clock.advance(400);
    const detached = attachment.detach();
    await clock.advance(0);
    await detached;
    await clock.advance(20_000);
    expect(sink.ids("ses_1")).toHaveLength(3);
  });

  it("compare everything again for a sink that only a later directory brings, and stop feeding it when that leaves", async () => {
    const { clock, store, sync, sink, host, say } = startSync();
    store.putSession(buildSession(), buildConversation("ses_1", 4));
    await clock.advance(20_000);
    const archive = new MemorySink(clock, { name: "archive" });
    const later = sync.attach(new FakeHost({ clock }, store), [sink, archive]);
    await clock.advance(20_000);
    expect(archive.ids("ses_1")).toHaveLength(4);
    await later.detach();
    say(userMessage("msg_new", "one more", { createdAt: clock.now() }));
    await clock.advance(2000);
    expect(sink.ids("ses_1")).toHaveLength(5);
    expect(archive.ids("ses_1")).toHaveLength(4);
    expect(host.count("sessions")).toBe(2);
  });
});

describe("a host that leaves", () => {
  it("has its sessions stored first, as `opencode run` needs", async () => {
    const { clock, store, sink, send, attachment } = startSync({ latencyMs: 20 });
    const session = buildSession();
    store.putSession(session, buildConversation("ses_1", 300));
    send({ type: "session-created", sessionId: "ses_1", session });
    const done = whenDone(attachment.detach());
    await clock.advance(1000);
    expect(done()).toBe(true);
    expect(sink.ids("ses_1")).toHaveLength(300);
    expect(sink.held.get("ses_1")?.complete).toBe(true);
  });

  it("is not kept longer than five seconds by a session that cannot be read", async () => {
    const { clock, store, host, send, attachment } = startSync();
    store.putSession(buildSession());
    host.failWhen(() => "never");
    send({ type: "session-idle", sessionId: "ses_1" });
    const done = whenDone(attachment.detach());
    await clock.advance(4999);
    expect(done()).toBe(false);
    await clock.advance(1);
    expect(done()).toBe(true);
  });

  it("leaves once, and its events are not heard any more", async () => {
    const { clock, host, send, sync, attachment } = startSync();
    await clock.advance(1000);
    await attachment.detach();
    await attachment.detach();
    const calls = host.calls.length;
    send({ type: "session-idle", sessionId: "ses_1" });
    send({ type: "stream-lost" });
    await clock.advance(30_000);
    expect(host.calls.length).toBe(calls);
    await sync.stop();
    expect(clock.sleeping).toBe(0);
  });

  it("may be followed by another one later", async () => {
    const { clock, store, sink, sync, attachment } = startSync();
    await attachment.detach();
    await clock.advance(60_000);
    store.putSession(buildSession(), buildConversation("ses_1", 4));
    const next = new FakeHost({ clock }, store);
    sync.attach(next, [sink]);
    await clock.advance(20_000);
    expect(sink.ids("ses_1")).toHaveLength(4);
  });
});

describe("sync", () => {
  it("refreshes one session when asked, and answers when that was tried", async () => {
    const { clock, store, host, sink, sync } = startSync();
    store.putSession(buildSession(), buildConversation("ses_1", 4));
    await sync.refreshNow("ses_1");
    expect(sink.ids("ses_1")).toHaveLength(4);
    host.failWhen(() => "error");
    await sync.refreshNow("ses_1");
    expect(sync.progress().sessionsFailing).toBe(1);
    host.failWhen(() => null);
    await clock.advance(2000);
    expect(sync.progress().sessionsFailing).toBe(0);
  });

  it("stops in the middle of everything, leaving no timer", async () => {
    const { clock, store, send, sync } = startSync({ latencyMs: 500 });
    for (let index = 0; index < 20; index += 1) {
      store.putSession(buildSession({ id: `ses_${index}` }), buildConversation(`ses_${index}`, 200));
      send({ type: "session-idle", sessionId: `ses_${index}` });
    }
    await clock.advance(2200);
    await sync.stop();
    await clock.advance(0);
    expect(clock.sleeping).toBe(0);
  });
});
