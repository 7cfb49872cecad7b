import { describe, expect, it } from "vitest";

import { listOf } from "../../../src/host/fields.ts";
import type { HostEvent } from "../../../src/host/host.ts";
import { translateEvent } from "../../../src/host/v2/events.ts";
import { readEvent } from "../../../src/host/v2/raw-event.ts";
import { recordedV2 } from "./recorded-v2.ts";

const NOW = 1796084999000;

function translate(given: unknown): readonly HostEvent[] {
  const event = readEvent(given);
  return event === null ? [] : translateEvent(event, NOW);
}

const told = (name: string) => listOf(recordedV2(name)).flatMap((event) => translate(event));
const sessionId = "ses_ab";
const changed = { type: "message-changed", sessionId, messageId: "msg_cd" };

describe("the events of a turn on 2.x", () => {
  it("tell what changed, what was asked and how it went, without the fragments", () => {
    expect(told("turn-events")).toEqual([
      { type: "session-created", sessionId, session: null },
      { type: "message-changed", sessionId, messageId: null },
      { type: "message-changed", sessionId, messageId: null },
      { type: "session-busy", sessionId },
      changed,
      changed,
      changed,
      changed,
      {
        type: "permission-asked",
        sessionId,
        at: expect.any(Number),
        requestId: "per_1",
        permission: "shell",
        command: "rm x echo a b",
        question: "Remove x?",
      },
      { type: "permission-replied", sessionId, at: expect.any(Number), requestId: "per_1", reply: "once" },
      changed,
      { type: "tool-finished", sessionId, messageId: "msg_cd" },
      { type: "session-retry", sessionId, at: expect.any(Number), attempt: 2, message: "Overloaded" },
      changed,
      changed,
      { type: "session-idle", sessionId },
      { type: "message-changed", sessionId, messageId: null },
      { type: "session-changed", sessionId, session: null },
    ]);
  });

  it("are understood under the names of the builds before 2.0.0", () => {
    expect(told("early-events")).toEqual([
      { type: "session-created", sessionId, session: expect.objectContaining({ id: sessionId, directory: "/w/app" }) },
      { type: "message-changed", sessionId, messageId: null },
      { type: "message-changed", sessionId, messageId: null },
      changed,
      expect.objectContaining({ type: "permission-asked", requestId: "per_1", command: "rm x" }),
      expect.objectContaining({ type: "permission-replied", requestId: "per_1", reply: "reject" }),
      changed,
      { type: "tool-finished", sessionId, messageId: "msg_cd" },
      changed,
      { type: "session-idle", sessionId },
    ]);
  });
});

describe("an event of 2.x", () => {
  const data = { sessionID: sessionId };

  it.each<[string, object, readonly object[]]>([
    ["session.deleted", {}, [{ type: "session-deleted", sessionId, at: 7 }]],
    ["session.compaction.ended", { text: "…" }, [{ type: "session-compacted", sessionId, at: 7 }]],
    ["session.revert.staged", { revert: {} }, [{ type: "session-changed", sessionId, session: null }]],
    ["session.revert.committed", { to: "msg_1" }, [{ type: "message-removed", sessionId, messageId: "msg_1" }]],
    ["session.moved", { projectID: "p" }, [{ type: "session-changed", sessionId, session: null }]],
    ["session.status", { status: { type: "busy" } }, [{ type: "session-busy", sessionId }]],
    ["session.status", { status: { type: "idle" } }, [{ type: "session-idle", sessionId }]],
    [
      "session.status",
      { status: { type: "retry", attempt: 3, message: "slow" } },
      [{ type: "session-retry", sessionId, at: 7, attempt: 3, message: "slow" }],
    ],
    [
      "session.execution.failed",
      { error: { type: "api", message: "no", status: 500 } },
      [
        {
          type: "session-error",
          sessionId,
          at: 7,
          error: { name: "api", message: "no", statusCode: 500, isRetryable: null },
        },
        { type: "session-idle", sessionId },
      ],
    ],
    ["session.something.new", {}, [{ type: "message-changed", sessionId, messageId: null }]],
    ["session.something.delta", {}, []],
    ["permission.asked", { action: "shell" }, []],
    ["permission.replied", { requestID: "per_1", reply: "maybe" }, []],
    ["file.edited", {}, []],
  ])("%s %j", (type, more, expected) => {
    expect(translate({ id: "evt_1", created: 7, type, data: { ...data, ...more } })).toEqual(expected);
  });

  it("about no session says nothing", () => {
    expect(translate({ id: "evt_1", created: 7, type: "session.deleted", data: {} })).toEqual([]);
  });

  it("without a time happened now", () => {
    expect(translate({ type: "session.deleted", data })).toEqual([{ type: "session-deleted", sessionId, at: NOW }]);
  });

  it.each([[null], ["x"], [[]], [{}], [{ type: 3 }]])("is none without a type: %j", (given) => {
    expect(readEvent(given)).toBeNull();
  });
});
