import { describe, expect, it } from "vitest";

import type { HostEvent } from "../../src/host/host.ts";
import { assistantMessage, buildConversation, buildSession, BUILT_AT, userMessage } from "../support/builders.ts";
import { startSync } from "../support/sync-harness.ts";

const idle: HostEvent = { type: "session-idle", sessionId: "ses_1" };

/** A sync that has seen a session of `count` messages whole. */
async function startWith(count: number, given: Parameters<typeof startSync>[0] = {}) {
  const started = startSync(given);
  started.store.putSession(buildSession(), buildConversation("ses_1", count));
  await started.clock.advance(10_000);
  started.host.calls.length = 0;
  return started;
}

describe("live sync", () => {
  it("stores a new session soon after it was created", async () => {
    const { clock, store, sink, send } = startSync();
    const session = buildSession();
    store.putSession(session, buildConversation("ses_1", 4));
    send({ type: "session-created", sessionId: "ses_1", session });
    await clock.advance(100);
    expect(sink.ids("ses_1")).toHaveLength(4);
    expect(sink.held.get("ses_1")?.complete).toBe(true);
  });

  it("stores what is added, and calls the host as often for a long session as for a short one", async () => {
    const costs: number[] = [];
    for (const count of [100, 1000]) {
      const { clock, host, sink, say } = await startWith(count);
      const stored = sink.putCount;
      say(userMessage("msg_new", "one more thing", { createdAt: clock.now() }));
      await clock.advance(2000);
      expect(sink.texts("ses_1")).toMatchObject({ msg_new: "one more thing" });
      expect(sink.putCount - stored).toBe(1);
      costs.push(host.calls.length);
    }
    expect(costs).toEqual([2, 2]);
  });

  it("fetches a changed message far back by its name, and rewrites no other", async () => {
    const { clock, host, sink, say } = await startWith(500);
    const stored = sink.putCount;
    say(userMessage("msg_ses_1_0001", "first, mended", { createdAt: BUILT_AT }));
    await clock.advance(2000);
    expect(sink.texts("ses_1")).toMatchObject({ msg_ses_1_0001: "first, mended" });
    expect(sink.putCount - stored).toBe(1);
    expect(host.count("message")).toBe(1);
  });

  it("walks back over messages whose events never came", async () => {
    const { clock, store, sink, send } = await startWith(500);
    for (let index = 0; index < 60; index += 1) {
      store.putMessage(userMessage(`msg_more_${index}`, `more ${index}`, { createdAt: clock.now() + index }));
    }
    send(idle);
    await clock.advance(2000);
    expect(sink.ids("ses_1")).toHaveLength(560);
  });

  it("leaves it to a full pass when too many messages came without events", async () => {
    const { clock, store, sink, send } = await startWith(500);
    for (let index = 0; index < 400; index += 1) {
      store.putMessage(userMessage(`msg_more_${index}`, `more ${index}`, { createdAt: clock.now() + index }));
    }
    send(idle);
    await clock.advance(5000);
    expect(sink.ids("ses_1")).toHaveLength(900);
  });

  it("makes the newest messages of a long session available before the session is read whole", async () => {
    const { clock, store, sink, send } = startSync({ latencyMs: 100 });
    store.putSession(buildSession(), buildConversation("ses_1", 2000));
    send(idle);
    await clock.advance(1500);
    expect(sink.ids("ses_1")).toContain("msg_ses_1_2000");
    expect(sink.held.get("ses_1")?.complete).toBe(false);
    await clock.advance(60_000);
    expect(sink.ids("ses_1")).toHaveLength(2000);
    expect(sink.held.get("ses_1")?.complete).toBe(true);
  });

  it("does not write what did not change (case 47)", async () => {
    const { clock, sink, send } = await startWith(300);
    const stored = sink.putCount;
    for (let tick = 0; tick < 5; tick += 1) {
      send(idle);
      await clock.advance(1000);
    }
    expect(sink.putCount).toBe(stored);
  });

  it.each<[string, Parameters<ReturnType<typeof startSync>["change"]>[1]]>([
    ["a rename (case 49)", { title: "fingerprint-login" }],
    ["archiving", { archivedAt: BUILT_AT + 5 }],
    ["a revert (case 82)", { revert: { messageId: "msg_ses_1_0003", partId: null } }],
    ["a move", { directory: "/w/elsewhere", projectId: "project-2" }],
  ])("follows %s, and its undoing", async (_what, changed) => {
    const { clock, sink, change } = await startWith(6);
    const before = sink.held.get("ses_1")?.session;
    change("ses_1", changed);
    await clock.advance(1200);
    expect(sink.held.get("ses_1")?.session).toMatchObject(changed);
    expect(sink.ids("ses_1")).toHaveLength(6);
    change("ses_1", { ...before });
    await clock.advance(1200);
    expect(sink.held.get("ses_1")?.session).toEqual(before);
  });

  it.each([6, 600])("drops a removed message from a session of %i (case 48)", async (count) => {
    const { clock, sink, unsay } = await startWith(count);
    unsay("ses_1", "msg_ses_1_0003");
    await clock.advance(1200);
    expect(sink.ids("ses_1")).toHaveLength(count - 1);
    expect(sink.ids("ses_1")).not.toContain("msg_ses_1_0003");
  });

  it("follows a prompt after a revert: later messages are removed, a new one comes", async () => {
    const { clock, sink, change, unsay, say } = await startWith(600);
    change("ses_1", { revert: { messageId: "msg_ses_1_0011", partId: null } });
    await clock.advance(1500);
    for (let index = 11; index <= 600; index += 1) unsay("ses_1", `msg_ses_1_${String(index).padStart(4, "0")}`);
    change("ses_1", { revert: null });
    say(userMessage("msg_again", "another way", { createdAt: clock.now() }));
    await clock.advance(20_000);
    expect(sink.ids("ses_1")).toHaveLength(11);
    expect(sink.ids("ses_1")).toContain("msg_again");
    expect(sink.held.get("ses_1")?.session.revert).toBeNull();
  });

  it("keeps a message that was removed and came back at once", async () => {
    const { clock, sink, unsay, say } = await startWith(6);
    unsay("ses_1", "msg_ses_1_0003");
    say(userMessage("msg_ses_1_0003", "back again", { createdAt: BUILT_AT + 2000 }));
    await clock.advance(1500);
    expect(sink.texts("ses_1")).toMatchObject({ msg_ses_1_0003: "back again" });
  });

  it("drops a removed part with its message's next reading", async () => {
    const { clock, store, sink, send } = await startWith(300);
    store.putMessage(userMessage("msg_ses_1_0005", "", { createdAt: BUILT_AT + 4000, parts: [] }));
    send({ type: "part-removed", sessionId: "ses_1", messageId: "msg_ses_1_0005" });
    await clock.advance(1500);
    expect(sink.texts("ses_1")).toMatchObject({ msg_ses_1_0005: "" });
  });

  it("compares the whole session after a compaction", async () => {
    const { clock, store, sink, send } = await startWith(500);
    store.putMessage(userMessage("msg_ses_1_0002", "changed without a word", { createdAt: BUILT_AT + 1000 }));
    store.putMessage(assistantMessage("msg_summary", ["the summary"], { createdAt: clock.now(), isSummary: true }));
    send({ type: "session-compacted", sessionId: "ses_1", at: clock.now() });
    await clock.advance(15_000);
    expect(sink.texts("ses_1")).toMatchObject({ msg_summary: "the summary", msg_ses_1_0002: "changed without a word" });
    expect(sink.ids("ses_1")).toHaveLength(501);
  });

  it("follows a fork whose messages have old times", async () => {
    const { clock, store, sink, send } = await startWith(300);
    const fork = buildSession({ id: "ses_fork", title: "Fix the login (fork #1)", updatedAt: clock.now() });
    store.putSession(fork, buildConversation("ses_fork", 300));
    send({ type: "session-created", sessionId: "ses_fork", session: fork });
    await clock.advance(5000);
    expect(sink.ids("ses_fork")).toHaveLength(300);
  });

  it("picks up what comes after the session went idle", async () => {
    const { clock, sink, send, say } = await startWith(4);
    say(assistantMessage("msg_answer", ["half"], { createdAt: clock.now() }));
    send(idle);
    send(idle);
    await clock.advance(150);
    say(assistantMessage("msg_answer", ["half and the rest"], { createdAt: clock.now() }));
    await clock.advance(1200);
    expect(sink.texts("ses_1")).toMatchObject({ msg_answer: "half and the rest" });
  });

  it("has a finished turn within a second and a quarter, whenever it finishes", async () => {
    const waits: number[] = [];
    for (let offset = 0; offset < 1000; offset += 90) {
      const { clock, sink, say } = await startWith(50, { latencyMs: 20 });
      say(userMessage("msg_ask", "?", { createdAt: clock.now() }));
      await clock.advance(offset);
      say(assistantMessage("msg_answer", ["!"], { createdAt: clock.now() }));
      const saidAt = clock.monotonic();
      while (sink.ids("ses_1")?.includes("msg_answer") !== true && clock.monotonic() - saidAt < 5000) {
        await clock.advance(10);
      }
      waits.push(clock.monotonic() - saidAt);
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(1250);
  });

  it("stores a sub-agent's session as a child", async () => {
    const { clock, store, sink, send } = await startWith(4);
    const child = buildSession({ id: "ses_child", parentId: "ses_1" });
    store.putSession(child, buildConversation("ses_child", 2));
    send({ type: "session-created", sessionId: "ses_child", session: child });
    await clock.advance(200);
    expect(sink.held.get("ses_child")?.session.parentId).toBe("ses_1");
  });

  it("removes a deleted session, and its descendants though only the parent's end is announced (case 80)", async () => {
    const { clock, store, sink, send } = startSync();
    store.putSession(buildSession(), buildConversation("ses_1", 2));
    store.putSession(buildSession({ id: "ses_child", parentId: "ses_1" }), buildConversation("ses_child", 2));
    store.putSession(buildSession({ id: "ses_grandchild", parentId: "ses_child" }));
    store.putSession(buildSession({ id: "ses_other" }), buildConversation("ses_other", 2));
    await clock.advance(5000);
    expect([...sink.held.keys()].sort()).toEqual(["ses_1", "ses_child", "ses_grandchild", "ses_other"]);
    store.deleteSession("ses_1");
    send({ type: "session-deleted", sessionId: "ses_1", at: clock.now() });
    await clock.advance(10_000);
    expect([...sink.held.keys()]).toEqual(["ses_other"]);
    expect([...sink.tombstones.keys()].sort()).toEqual(["ses_1", "ses_child", "ses_grandchild"]);
  });

  it("lets a deletion during the first refresh stand (case 59)", async () => {
    const { clock, store, sink, send } = startSync({ latencyMs: 200 });
    const session = buildSession();
    store.putSession(session, buildConversation("ses_1", 300));
    send({ type: "session-created", sessionId: "ses_1", session });
    await clock.advance(350);
    store.deleteSession("ses_1");
    send({ type: "session-deleted", sessionId: "ses_1", at: clock.now() });
    await clock.advance(60_000);
    expect(sink.held.has("ses_1")).toBe(false);
    expect(sink.tombstones.has("ses_1")).toBe(true);
  });

  it("lets a deletion stand that overtakes a full pass under way", async () => {
    const { clock, store, sink, send } = startSync({ latencyMs: 200 });
    store.putSession(buildSession(), buildConversation("ses_1", 2000));
    await clock.advance(3000);
    expect(sink.held.get("ses_1")?.complete).toBe(false);
    store.deleteSession("ses_1");
    send({ type: "session-deleted", sessionId: "ses_1", at: clock.now() });
    await clock.advance(60_000);
    expect(sink.held.has("ses_1")).toBe(false);
  });

  it("lets a deletion before any refresh stand, whatever comes late", async () => {
    const { clock, store, sink, send } = startSync();
    const session = buildSession();
    store.putSession(session, buildConversation("ses_1", 3));
    send({ type: "session-created", sessionId: "ses_1", session });
    store.deleteSession("ses_1");
    send({ type: "session-deleted", sessionId: "ses_1", at: clock.now() });
    send({ type: "message-changed", sessionId: "ses_1", messageId: "msg_ses_1_0001" });
    await clock.advance(20_000);
    expect(sink.held.has("ses_1")).toBe(false);
  });

  it("takes a session that came back, as an import does, after its deletion", async () => {
    const { clock, store, sink, send } = await startWith(4);
    store.deleteSession("ses_1");
    send({ type: "session-deleted", sessionId: "ses_1", at: clock.now() });
    const session = buildSession({ title: "Imported" });
    store.putSession(session, buildConversation("ses_1", 3));
    await clock.advance(2000);
    expect(sink.held.has("ses_1")).toBe(false);
    send({ type: "session-created", sessionId: "ses_1", session });
    await clock.advance(2000);
    expect(sink.ids("ses_1")).toHaveLength(3);
  });

  it("removes a session that the host no longer knows, whatever the event was", async () => {
    const { clock, store, sink, send } = await startWith(4);
    store.deleteSession("ses_1");
    send(idle);
    await clock.advance(1200);
    expect(sink.held.has("ses_1")).toBe(false);
  });

  it.each([
    ["forwards", 3_600_000],
    ["backwards", -3_600_000],
    ["backwards by a year", -365 * 86_400_000],
  ])("goes on when the clock jumps %s", async (_where, ms) => {
    const { clock, store, sink, send, say } = await startWith(4);
    clock.jump(ms);
    say(userMessage("msg_ses_1_0004", "after the jump", { createdAt: BUILT_AT + 3000 }));
    await clock.advance(1500);
    clock.jump(-ms);
    say(userMessage("msg_ses_1_0004", "and back", { createdAt: BUILT_AT + 3000 }));
    await clock.advance(1500);
    expect(sink.texts("ses_1")).toMatchObject({ msg_ses_1_0004: "and back" });
    store.deleteSession("ses_1");
    send({ type: "session-deleted", sessionId: "ses_1", at: clock.now() });
    await clock.advance(20_000);
    expect(sink.held.has("ses_1")).toBe(false);
  });

  it("makes few refreshes of a storm of 80,000 events in a minute (case 68)", async () => {
    const { clock, host, sink, store, send } = await startWith(50);
    for (let second = 0; second < 60; second += 1) {
      store.putMessage(assistantMessage("msg_big", [`grown to ${second}`], { createdAt: BUILT_AT + 60_000 }));
      for (let index = 0; index < 1333; index += 1) {
        send({ type: "message-changed", sessionId: "ses_1", messageId: "msg_big" });
      }
      await clock.advance(1000);
    }
    await clock.advance(2000);
    expect(sink.texts("ses_1")).toMatchObject({ msg_big: "grown to 59" });
    expect(host.calls.length).toBeLessThanOrEqual(130);
  });

  it("compares the whole session when a storm names more messages than are worth asking for", async () => {
    const { clock, host, sink, store, send } = await startWith(1000);
    for (let index = 1; index <= 1000; index += 1) {
      const id = `msg_ses_1_${String(index).padStart(4, "0")}`;
      store.putMessage(userMessage(id, "rewritten", { createdAt: BUILT_AT + (index - 1) * 1000 }));
      send({ type: "message-changed", sessionId: "ses_1", messageId: id });
    }
    await clock.advance(15_000);
    expect(new Set(Object.values(sink.texts("ses_1") ?? {}))).toEqual(new Set(["rewritten"]));
    expect(host.count("message")).toBeLessThanOrEqual(200);
  });

  it("notes errors that may never become a message", async () => {
    const { clock, sink, send } = await startWith(2);
    const error = { name: "APIError", message: "not available", statusCode: 503, isRetryable: true };
    send({ type: "session-retry", sessionId: "ses_1", at: 1000, attempt: 1, message: "Overloaded" });
    send({ type: "session-error", sessionId: "ses_1", at: 2000, error });
    send({ type: "session-retry", sessionId: "ses_1", at: 1500, attempt: 2, message: "Overloaded" });
    await clock.advance(1500);
    expect(sink.errors.get("ses_1")).toBe(2000);
  });

  it("says once that a session cannot be read, tries it without end and delays no other (case 75)", async () => {
    const { clock, host, store, sink, send, lines } = startSync();
    await clock.advance(1000);
    store.putSession(buildSession(), buildConversation("ses_1", 3));
    store.putSession(buildSession({ id: "ses_2" }), buildConversation("ses_2", 3));
    host.failWhen(({ sessionId }) => (sessionId === "ses_1" ? "error" : null));
    send(idle);
    send({ type: "session-idle", sessionId: "ses_2" });
    await clock.advance(100);
    expect(sink.ids("ses_2")).toHaveLength(3);
    await clock.advance(1_200_000);
    expect(lines.filter(({ fields }) => fields["session"] === "ses_1")).toHaveLength(2);
    host.failWhen(() => null);
    await clock.advance(600_000);
    expect(sink.ids("ses_1")).toHaveLength(3);
  });

  it("keeps the healthy sink current while the other one fails, and feeds that when it is well again", async () => {
    const { clock, store, sink, archive, send, say, lines } = startSync({ archives: () => true });
    store.putSession(buildSession(), buildConversation("ses_1", 3));
    archive.broken = new Error("disk full");
    send(idle);
    await clock.advance(60_000);
    say(userMessage("msg_new", "one more thing", { createdAt: clock.now() }));
    await clock.advance(100);
    expect(sink.ids("ses_1")).toHaveLength(4);
    expect(archive.held.size).toBe(0);
    archive.broken = null;
    await clock.advance(600_000);
    expect(archive.ids("ses_1")).toHaveLength(4);
    expect(lines.filter(({ message }) => message.startsWith("A session could not be"))).toHaveLength(1);
  });

  it("never empties a sink because the host lists no messages: the other generation may own them", async () => {
    const { clock, store, sink, send } = await startWith(4);
    store.deleteSession("ses_1");
    store.putSession(buildSession({ title: "Listed, but its messages live elsewhere" }));
    send(idle);
    await clock.advance(1_300_000);
    expect(sink.ids("ses_1")).toHaveLength(4);
    expect(sink.held.get("ses_1")?.session.title).toBe("Listed, but its messages live elsewhere");
  });

  it("does not let an event hide from the listing what was lost before it", async () => {
    const { clock, store, sink, send, say } = await startWith(500);
    store.removeMessage("ses_1", "msg_ses_1_0300");
    store.putMessage(userMessage("msg_ses_1_0002", "changed unheard", { createdAt: BUILT_AT + 1000 }));
    send({ type: "stream-lost" });
    say(userMessage("msg_new", "heard again", { createdAt: clock.now() }));
    await clock.advance(20_000);
    expect(sink.ids("ses_1")).toHaveLength(500);
    expect(sink.texts("ses_1")).toMatchObject({ msg_new: "heard again", msg_ses_1_0002: "changed unheard" });
  });

  it.each(["repeated-cursor", "malformed-cursor", "never"] as const)(
    "gives up a walk that meets a page gone wrong (%s), and finishes it when the host is well",
    async (failure) => {
      const { clock, host, store, sink, send } = startSync();
      await clock.advance(1000);
      store.putSession(buildSession(), buildConversation("ses_1", 500));
      host.failWhen(({ method }) => (method === "messages" ? failure : null));
      send(idle);
      await clock.advance(300_000);
      expect(sink.held.get("ses_1")?.complete ?? false).toBe(false);
      expect(host.calls.length).toBeLessThan(400);
      host.failWhen(() => null);
      await clock.advance(700_000);
      expect(sink.ids("ses_1")).toHaveLength(500);
      expect(sink.held.get("ses_1")?.complete).toBe(true);
    },
  );

  it.each(["v1", "v2"] as const)("reads pages that are shorter than asked for (%s)", async (source) => {
    const { clock, host, store, sink, send } = startSync({ source });
    store.putSession(buildSession({ source }), buildConversation("ses_1", 120));
    host.failWhen(({ method }) => (method === "messages" ? "half-page" : null));
    send(idle);
    await clock.advance(10_000);
    expect(sink.ids("ses_1")).toHaveLength(120);
  });
});
