import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { HostEvent } from "../../../src/host/host.ts";
import { toHostEvent } from "../../../src/host/v1/events.ts";
import { loadRecording, recordingNames } from "../../support/recording.ts";

const NOW = 1_800_000_000_000;

function eventsOf(scenario: string): readonly HostEvent[] {
  return loadRecording(scenario).events.flatMap((event) => toHostEvent(event, NOW) ?? []);
}

const ofType = <T extends HostEvent["type"]>(scenario: string, type: T) =>
  eventsOf(scenario).filter((event): event is Extract<HostEvent, { type: T }> => event.type === type);

describe("recorded events of 1.18", () => {
  it("begin with the creation of the session and end it idle", () => {
    const types = eventsOf("text").map((event) => event.type);
    expect(types[0]).toBe("session-created");
    expect(types).toContain("session-busy");
    expect(types.lastIndexOf("session-idle")).toBeGreaterThan(types.lastIndexOf("session-busy"));
  });

  it("name every message of the session", () => {
    const stored = loadRecording("files").sessions[0]?.messages.map((message) => JSON.stringify(message)) ?? [];
    const named = new Set(ofType("files", "message-changed").map((event) => event.messageId));
    expect(stored.length).toBe(named.size);
    for (const id of named) expect(stored.some((message) => message.includes(`"id":"${id}"`))).toBe(true);
  });

  it("carry the session with each change of it", () => {
    expect(ofType("rename-archive-fork", "session-changed").at(-1)?.session).toMatchObject({
      title: "A title of my own",
      archivedAt: Date.UTC(2026, 0, 2),
    });
    const reverts = ofType("revert", "session-changed").map((event) => event.session?.revert !== null);
    expect(reverts.at(-1)).toBe(true);
    expect(reverts).toContain(false);
  });

  it("tell the removal of messages that a prompt after a revert drops", () => {
    expect(ofType("revert", "message-removed").length).toBe(2);
  });

  it("tell the deletion of a session, children first", () => {
    const [parent, child] = loadRecording("delete").sessions.map((session) => session.id);
    expect(ofType("delete", "session-deleted")).toEqual([
      { type: "session-deleted", sessionId: child, at: NOW },
      { type: "session-deleted", sessionId: parent, at: NOW },
    ]);
  });

  it("pair each permission with its answer", () => {
    const asked = ofType("permission", "permission-asked");
    const replied = ofType("permission", "permission-replied");
    expect(asked.map((event) => [event.permission, event.command])).toEqual([
      ["bash", "echo ask once"],
      ["bash", "echo ask reject"],
    ]);
    expect(replied.map((event) => event.reply)).toEqual(["once", "reject"]);
    expect(replied.map((event) => event.requestId)).toEqual(asked.map((event) => event.requestId));
  });

  it("tell errors, retries, compaction and to-do lists", () => {
    expect(ofType("provider-error", "session-error")[0]?.error).toMatchObject({ name: "APIError", statusCode: 403 });
    expect(ofType("retry", "session-retry")[0]).toMatchObject({ attempt: 1, message: "scripted failure 500" });
    expect(ofType("compaction", "session-compacted")).toHaveLength(1);
    expect(ofType("todos", "todos-changed").at(-1)?.todos).toEqual([
      { content: "Sweep the floor", status: "pending", priority: "high" },
    ]);
  });

  it.each(recordingNames())("of %s name a session that the scenario made", (name) => {
    const ids = new Set(loadRecording(name).sessions.map((session) => session.id));
    for (const event of eventsOf(name)) expect("sessionId" in event && ids.has(event.sessionId)).toBe(true);
  });
});

describe("single events of 1.18", () => {
  const session = { sessionID: "ses_1" };
  it.each<[string, unknown, unknown]>([
    [
      "a removed part",
      { type: "message.part.removed", properties: { ...session, messageID: "msg_1", partID: "p" } },
      { type: "part-removed", sessionId: "ses_1", messageId: "msg_1" },
    ],
    // case 50: both generations of the permission events.
    [
      "an asked permission of the older kind",
      {
        type: "permission.updated",
        properties: { ...session, id: "per_1", type: "edit", pattern: ["a", "b"], title: "Edit a?" },
      },
      {
        type: "permission-asked",
        sessionId: "ses_1",
        at: NOW,
        requestId: "per_1",
        permission: "edit",
        command: "a b",
        question: "Edit a?",
      },
    ],
    [
      "a reply of the older kind",
      { type: "permission.replied", properties: { ...session, permissionID: "per_1", response: "allow" } },
      { type: "permission-replied", sessionId: "ses_1", at: NOW, requestId: "per_1", reply: "once" },
    ],
    [
      "a refusal of the older kind",
      { type: "permission.replied", properties: { ...session, permissionID: "per_1", response: "deny" } },
      { type: "permission-replied", sessionId: "ses_1", at: NOW, requestId: "per_1", reply: "reject" },
    ],
    [
      "a part whose session only the part names",
      { type: "message.part.updated", properties: { part: { sessionID: "ses_1", messageID: "msg_1" } } },
      { type: "message-changed", sessionId: "ses_1", messageId: "msg_1" },
    ],
    // case 68: deltas are followed by the whole part.
    ["a delta", { type: "message.part.delta", properties: { ...session, messageID: "msg_1", delta: "x" } }, null],
    ["a reply without an answer", { type: "permission.replied", properties: { ...session, requestID: "per_1" } }, null],
    ["an error of no session", { type: "session.error", properties: { error: { name: "X" } } }, null],
    [
      "a status of the future",
      { type: "session.status", properties: { ...session, status: { type: "dreaming" } } },
      null,
    ],
    ["an event of the future", { type: "session.painted", properties: session }, null],
    ["nothing", undefined, null],
  ])("%s", (_, raw, expected) => {
    expect(toHostEvent(raw, NOW)).toEqual(expected);
  });

  it("never make the translation throw", () => {
    const types = [
      "session.updated",
      "session.status",
      "session.error",
      "permission.asked",
      "todo.updated",
      "message.updated",
    ];
    const names = fc.constantFrom("sessionID", "id", "info", "status", "error", "todos", "metadata", "part");
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.dictionary(names, fc.anything()), (type, properties) => {
        const event = toHostEvent({ type, properties }, NOW);
        expect(event === null || typeof event.type === "string").toBe(true);
      }),
    );
  });
});
