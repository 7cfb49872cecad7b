import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createSessionReader } from "../../src/search/read-session.ts";
import type { Reading, Stretch } from "../../src/search/read-session-request.ts";
import type { MessagePositions } from "../../src/search-index/reader-positions.ts";
import type { Message, MessageRole } from "../../src/session/session.ts";
import { SqliteError } from "../../src/sqlite/database.ts";
import { BUILT_AT, buildConversation, buildMessage, buildSession } from "../support/builders.ts";
import { expectedReading, positionsOf, setUpReading, type ReadingOptions } from "../support/reading.ts";
import { isFullSize } from "../support/test-size.ts";

const RUNS = isFullSize() ? 5_000 : 400;
const signal = new AbortController().signal;

const ids = (entries: Reading["before"]) => entries.map((entry) => entry.message.id);

function idsOf(reading: Reading) {
  return {
    before: ids(reading.before),
    anchor: reading.anchor?.message.id ?? null,
    after: ids(reading.after),
    more: reading.more,
  };
}

const around = (messageId: string, before: number, after: number): Stretch => ({
  kind: "around",
  messageId,
  before,
  after,
});
const after = (cursor: string | null, limit: number): Stretch => ({ kind: "after", cursor, limit });

/** Sessions whose messages may share a millisecond, with native types that are neither user's nor assistant's. */
const sessions = fc
  .array(
    fc.record({
      role: fc.constantFrom<(MessageRole | null)[]>("user", "assistant", "assistant", null),
      step: fc.constantFrom(0, 1, 1, 1000),
    }),
    { maxLength: 120 },
  )
  .map((specs) => {
    let createdAt = BUILT_AT;
    return specs.map(({ role, step }, index): Message => {
      createdAt += step;
      return buildMessage({ id: `msg_${String(index).padStart(4, "0")}`, role, createdAt });
    });
  });

const roles = fc.constantFrom<(MessageRole | null)[]>(null, "user", "assistant");

describe("a stretch of a session", () => {
  it("equals the reference implementation, on either kind of host and whatever the index knows", async () => {
    const property = fc.asyncProperty(
      sessions,
      roles,
      fc.record({
        place: fc.nat(),
        before: fc.nat({ max: 50 }),
        count: fc.integer({ min: 0, max: 60 }),
        kind: fc.constantFrom("around", "after", "start"),
        source: fc.constantFrom("v1" as const, "v2" as const),
        pageCap: fc.constantFrom(1, 3, 10, 100),
        index: fc.constantFrom("whole", "none", "late", "ghosts"),
        lag: fc.nat({ max: 40 }),
      }),
      async (messages, role, given) => {
        const at = messages[given.place % Math.max(messages.length, 1)];
        const stretch =
          at === undefined || given.kind === "start"
            ? after(null, given.count + 1)
            : given.kind === "after"
              ? after(at.id, given.count + 1)
              : around(at.id, given.before, given.count);
        const { reader, host } = setUpReading(messages, {
          source: given.source,
          pageCap: given.pageCap,
          indexed: indexedOf(messages, given.index, given.lag),
        });
        // Read twice: the second time starts from what was learnt in the first.
        for (let time = 0; time < 2; time += 1) {
          const reading = await reader.read({ sessionId: "ses_1", stretch, role, signal });
          expect(idsOf(reading)).toEqual(expectedReading(messages, stretch, role));
        }
        expect(host.underWay).toBe(0);
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  });

  it("page by page gives every eligible message once and in order, though messages come and go meanwhile", async () => {
    const property = fc.asyncProperty(
      sessions,
      roles,
      fc.integer({ min: 1, max: 15 }),
      fc.constantFrom("v1" as const, "v2" as const),
      fc.array(fc.nat(), { maxLength: 6 }),
      async (messages, role, limit, source, removals) => {
        const { reader, host } = setUpReading(messages, { source, pageCap: 10 });
        const removed = new Set<string>();
        const seen: string[] = [];
        const toRemove = [...removals];
        for (let cursor: string | null = null, isEnd = false; !isEnd;) {
          const reading: Reading = await reader.read({
            sessionId: "ses_1",
            stretch: after(cursor, limit),
            role,
            signal,
          });
          seen.push(...ids(reading.after));
          cursor = seen.at(-1) ?? cursor;
          isEnd = !reading.more;
          const next = toRemove.pop();
          // The message a page ended with is the likeliest to hurt.
          const gone = next === undefined ? undefined : next % 2 === 0 ? cursor : messages[next % messages.length]?.id;
          if (gone !== undefined && gone !== null && !removed.has(gone)) {
            removed.add(gone);
            host.store.removeMessage("ses_1", gone);
          }
        }
        const eligible = expectedReading(messages, after(null, messages.length), role).after;
        expect(seen).toEqual(eligible.filter((id) => seen.includes(id)));
        expect(seen).toEqual(expect.arrayContaining(eligible.filter((id) => !removed.has(id))));
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  });
});

function indexedOf(messages: readonly Message[], state: string, lag: number): readonly Message[] | null {
  switch (state) {
    case "none":
      return null;
    case "late":
      return messages.slice(0, Math.max(0, messages.length - lag));
    case "ghosts": {
      const ghosts = messages
        .filter((_, index) => index % 3 === 0)
        .map(({ id, role, createdAt }) => buildMessage({ id: `${id}_ghost`, role, createdAt }));
      return [...messages, ...ghosts];
    }
    default:
      return messages;
  }
}

describe("the work of a reading in a session of 10,000 messages", () => {
  const messages = buildConversation("ses_1", 10_000);
  const idAt = (index: number) => messages[index]?.id ?? "";
  const limits: readonly [string, Stretch, MessageRole | null, ReadingOptions, { pages: number; singles: number }][] = [
    ["a window in the middle", around(idAt(5_000), 5, 5), null, {}, { pages: 1, singles: 1 }],
    ["a window at the start", around(idAt(0), 50, 50), null, {}, { pages: 1, singles: 1 }],
    ["a window at the end", around(idAt(9_999), 50, 50), null, {}, { pages: 1, singles: 1 }],
    ["the largest window", around(idAt(4_321), 50, 50), null, {}, { pages: 2, singles: 1 }],
    ["the first page", after(null, 20), null, {}, { pages: 1, singles: 0 }],
    ["a page in the middle", after(idAt(7_000), 100), null, {}, { pages: 2, singles: 1 }],
    ["the last page", after(idAt(9_990), 20), null, {}, { pages: 1, singles: 1 }],
    ["a window of one role", around(idAt(5_000), 5, 5), "user", {}, { pages: 0, singles: 12 }],
    ["the last page of one role", after(idAt(9_990), 20), "assistant", {}, { pages: 1, singles: 6 }],
    [
      "a window while the newest 300 messages are not indexed yet",
      around(idAt(9_600), 5, 5),
      null,
      { indexed: messages.slice(0, 9_700) },
      { pages: 1, singles: 1 },
    ],
  ];

  it.each(limits)("is bounded: %s", async (_what, stretch, role, options, limit) => {
    const { reader, host } = setUpReading(messages, options);
    const reading = await reader.read({ sessionId: "ses_1", stretch, role, signal });
    expect(idsOf(reading)).toEqual(expectedReading(messages, stretch, role));
    expect(host.count("messages")).toBeLessThanOrEqual(limit.pages);
    expect(host.count("message")).toBeLessThanOrEqual(limit.singles);
  });

  it("without an index walks once and then goes on from where it was", async () => {
    const { reader, host } = setUpReading(messages, { source: "v2", indexed: null });
    await reader.read({ sessionId: "ses_1", stretch: after(idAt(1_000), 20), role: null, signal });
    expect(host.count("messages")).toBe(90);
    await reader.read({ sessionId: "ses_1", stretch: after(idAt(1_020), 20), role: null, signal });
    expect(host.count("messages")).toBeLessThanOrEqual(93);
  });

  it("never holds more than a few requests open at once", async () => {
    const { reader, host } = setUpReading(messages);
    await reader.read({ sessionId: "ses_1", stretch: around(idAt(5_000), 50, 50), role: "user", signal });
    expect(host.mostUnderWay).toBeLessThanOrEqual(4);
  });
});

describe("what cannot be read", () => {
  const messages = buildConversation("ses_1", 30);
  const read = (stretch: Stretch, options: ReadingOptions = {}, sessionId = "ses_1") =>
    setUpReading(messages, options).reader.read({ sessionId, stretch, role: null, signal });

  it.each([
    ["an unknown anchor", () => read(around("msg_x", 5, 5)), "no-anchor", /messageID: .*"msg_x"/u],
    ["an unknown cursor", () => read(after("msg_x", 5)), "no-cursor", /cursor: .*"msg_x".*nextCursor/u],
    ["an unknown session", () => read(after(null, 5), {}, "ses_x"), "no-session", /"ses_x".*history-search-sessions/u],
    [
      "a session only the archive has",
      () => read(after(null, 5), { archivedFile: async (id) => `/w/.opencode/sessions/${id}.json` }, "ses_x"),
      "no-session",
      /\/w\/\.opencode\/sessions\/ses_x\.json/u,
    ],
  ])("%s is an error that says so", async (_what, attempt, code, message) => {
    await expect(attempt()).rejects.toMatchObject({ name: "ReadError", code, message: expect.stringMatching(message) });
  });

  it("a cursor that the host repeats ends the reading instead of going round", async () => {
    const { reader, host } = setUpReading(messages, { indexed: null, pageCap: 10 });
    host.failWhen((call) => (call.method === "messages" ? "repeated-cursor" : null));
    await expect(
      reader.read({ sessionId: "ses_1", stretch: after(null, 5), role: null, signal }),
    ).rejects.toMatchObject({
      code: "repeated-cursor",
    });
    expect(host.count("messages")).toBeLessThanOrEqual(3);
  });

  it("a remembered cursor that the host refuses is forgotten", async () => {
    const { reader, host } = setUpReading(messages, { source: "v2", indexed: null, pageCap: 5 });
    const stretch = after(messages[3]?.id ?? "", 3);
    await reader.read({ sessionId: "ses_1", stretch, role: null, signal });
    for (const message of messages.slice(8)) host.store.removeMessage("ses_1", message.id);
    const reading = await reader.read({ sessionId: "ses_1", stretch, role: null, signal });
    expect(idsOf(reading)).toEqual(expectedReading(messages.slice(0, 8), stretch, null));
  });

  it.each(["error", "unavailable"] as const)("a host that answers %s fails the reading", async (failure) => {
    const { reader, host } = setUpReading(messages);
    host.failWhen((call) => (call.method === "messages" ? failure : null));
    await expect(
      reader.read({ sessionId: "ses_1", stretch: after(null, 5), role: null, signal }),
    ).rejects.toMatchObject({ name: "HostError" });
  });
});

function busy(): never {
  throw new SqliteError("busy", "database is locked");
}

/** Says yes twice, then no: an index that was replaced by an empty one. */
function twice(): () => boolean {
  let answers = 3;
  return () => (answers -= 1) > 0;
}

describe("an index that fails while it is asked", () => {
  const messages = buildConversation("ses_1", 40);
  const stretch = around(messages[20]?.id ?? "", 5, 5);
  it.each<[string, Partial<MessagePositions>]>([
    ["cannot be read", { complete: busy }],
    ["cannot be read any more", { after: busy, before: busy }],
    ["is replaced by an empty one", { complete: twice(), after: () => [], before: () => [] }],
  ])("costs pages, never messages: it %s", async (_what, failing) => {
    for (const role of [null, "user", "assistant"] as const) {
      const { host } = setUpReading(messages);
      const positions = { ...positionsOf(messages), ...failing };
      const reader = createSessionReader({ host, positions, archivedFile: async () => null });
      const reading = await reader.read({ sessionId: "ses_1", stretch, role, signal });
      expect(idsOf(reading)).toEqual(expectedReading(messages, stretch, role));
    }
  });
});

describe("cancelling", () => {
  it.each([
    ["pages", null],
    ["single messages", "user"],
  ] as const)("stops the requests for %s", async (_what, role) => {
    const messages = buildConversation("ses_1", 300);
    const { reader, host } = setUpReading(messages, { pageCap: 1 });
    const controller = new AbortController();
    const stop = new Error("stopped by the user");
    host.failWhen(() => {
      if (host.calls.length >= 6) controller.abort(stop);
      return null;
    });
    const stretch = around(messages[150]?.id ?? "", 50, 50);
    await expect(reader.read({ sessionId: "ses_1", stretch, role, signal: controller.signal })).rejects.toBe(stop);
    const calls = host.calls.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.calls.length).toBe(calls);
    expect(calls).toBeLessThan(12);
  });

  it("before the first request makes none", async () => {
    const { reader, host } = setUpReading(buildConversation("ses_1", 3));
    const read = reader.read({ sessionId: "ses_1", stretch: after(null, 5), role: null, signal: AbortSignal.abort() });
    await expect(read).rejects.toMatchObject({ name: "AbortError" });
    expect(host.calls).toEqual([]);
  });
});

describe("reverted messages", () => {
  const messages = buildConversation("ses_1", 12);
  const boundary = messages[6]?.id ?? "";
  const revertedIds = async (stretch: Stretch, partId: string | null) => {
    const { reader, host } = setUpReading(messages);
    host.store.putSession(buildSession({ revert: { messageId: boundary, partId } }));
    const reading = await reader.read({ sessionId: "ses_1", stretch, role: null, signal });
    const entries = [...reading.before, ...(reading.anchor === null ? [] : [reading.anchor]), ...reading.after];
    return entries.filter((entry) => entry.reverted).map((entry) => messages.indexOf(entry.message));
  };

  it.each([
    ["from the boundary on", after(null, 9), null, [6, 7, 8]],
    ["not the message of which only a part is reverted", after(null, 9), "prt_1", [7, 8]],
    ["when the boundary is not among what is read", around(messages[9]?.id ?? "", 1, 1), null, [8, 9, 10]],
    ["none before the boundary", around(messages[2]?.id ?? "", 1, 1), null, []],
  ] as const)("are marked: %s", async (_what, stretch, partId, expected) => {
    expect(await revertedIds(stretch, partId)).toEqual(expected);
  });
});
