import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { HostEvent } from "../../src/host/host.ts";
import { mergeRequests, MOST_NAMED, newRequest, requestOf } from "../../src/sync/refresh-request.ts";

const sessionId = "ses_1";
const error = { name: "APIError", message: "no", statusCode: null, isRetryable: null };
const permission = { permission: "bash", command: null, question: null };

const one = (index: number) => newRequest({ messageIds: new Set([`msg_${index}`]) });

describe("what an event asks for", () => {
  it.each<[HostEvent, Parameters<typeof newRequest>[0]]>([
    [{ type: "session-created", sessionId, session: null }, {}],
    [{ type: "session-changed", sessionId, session: null }, {}],
    [{ type: "session-idle", sessionId }, {}],
    [
      { type: "session-deleted", sessionId, at: 7 },
      { deletedAt: 7, changed: false },
    ],
    [{ type: "session-compacted", sessionId, at: 7 }, { whole: true }],
    [{ type: "session-error", sessionId, at: 7, error }, { errorAt: 7 }],
    [{ type: "session-retry", sessionId, at: 8, attempt: 1, message: "Overloaded" }, { errorAt: 8 }],
    [{ type: "message-changed", sessionId, messageId: "msg_1" }, { messageIds: new Set(["msg_1"]) }],
    [{ type: "message-changed", sessionId, messageId: null }, {}],
    [{ type: "tool-finished", sessionId, messageId: "msg_1" }, { messageIds: new Set(["msg_1"]) }],
    [{ type: "part-removed", sessionId, messageId: "msg_1" }, { messageIds: new Set(["msg_1"]) }],
    [
      { type: "message-removed", sessionId, messageId: "msg_1" },
      { removedIds: new Set(["msg_1"]), whole: true },
    ],
  ])("%j", (event, expected) => {
    expect(requestOf(event)).toEqual(newRequest(expected));
  });

  it.each<[HostEvent]>([
    [{ type: "session-busy", sessionId }],
    [{ type: "permission-asked", sessionId, at: 7, requestId: "per_1", ...permission }],
    [{ type: "permission-replied", sessionId, at: 7, requestId: "per_1", reply: "once" }],
    [{ type: "todos-changed", sessionId, todos: [] }],
    [{ type: "stream-lost" }],
  ])("is nothing after %j", (event) => {
    expect(requestOf(event)).toBeNull();
  });
});

describe("merged requests", () => {
  it("forget what came before a deletion, and keep the later time", () => {
    const before = newRequest({ messageIds: new Set(["msg_1"]), whole: true, deletedAt: 9 });
    const merged = mergeRequests(before, newRequest({ deletedAt: 7, changed: false }));
    expect(merged).toEqual(newRequest({ deletedAt: 9, changed: false }));
  });

  it("remember a deletion when something comes after it", () => {
    const deleted = newRequest({ deletedAt: 7, changed: false });
    const merged = mergeRequests(deleted, newRequest({ messageIds: new Set(["msg_1"]) }));
    expect(merged).toEqual(newRequest({ deletedAt: 7, messageIds: new Set(["msg_1"]) }));
  });

  it("name a bounded number of messages, and compare the whole session beyond it", () => {
    let merged = one(0);
    for (let index = 1; index < MOST_NAMED; index += 1) merged = mergeRequests(merged, one(index));
    expect(merged.whole).toBe(false);
    expect(mergeRequests(merged, one(3)).whole).toBe(false);
    for (let index = 0; index < 80_000; index += 1) merged = mergeRequests(merged, one(index));
    expect(merged.messageIds.size).toBe(MOST_NAMED);
    expect(merged.whole).toBe(true);
  });

  it("end with the last word on each message, in whatever order the words come", () => {
    const word = fc.record({ id: fc.constantFrom("msg_1", "msg_2", "msg_3"), removed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
        const merged = words
          .map(({ id, removed }) => newRequest({ [removed ? "removedIds" : "messageIds"]: new Set([id]) }))
          .reduce(mergeRequests);
        const last = new Map(words.map(({ id, removed }) => [id, removed]));
        const named = (removed: boolean) => new Set([...last].filter(([, is]) => is === removed).map(([id]) => id));
        expect(merged.messageIds).toEqual(named(false));
        expect(merged.removedIds).toEqual(named(true));
      }),
    );
  });
});
