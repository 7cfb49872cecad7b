import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fieldsOf, listOf } from "../../../src/host/fields.ts";
import { normaliseMessage } from "../../../src/host/v2/normalise-message.ts";
import { normaliseSession } from "../../../src/host/v2/normalise-session.ts";
import type { Message } from "../../../src/session/session.ts";
import { recordedV2 } from "./recorded-v2.ts";

const HOME = { sessionId: "ses_ab", directory: "/w/app" };
const T = 1796084726349;

const recorded = fieldsOf(recordedV2("every-message-type"));
const messages = listOf(recorded["messages"]).map((item) => normaliseMessage(item, HOME));

function message(id: string): Message {
  const found = messages.find((candidate) => candidate?.id === id);
  if (found === undefined || found === null) throw new Error(`No message ${id} in the fixture.`);
  return found;
}

describe("a session of 2.x", () => {
  it("keeps what the model of a session has", () => {
    expect(normaliseSession(recorded["session"])).toEqual({
      id: "ses_ab",
      source: "v2",
      projectId: "9f1c",
      directory: "/w/app",
      parentId: "ses_aa",
      forkedFromId: "ses_00",
      title: "Fix login",
      createdAt: T,
      updatedAt: T + 3751,
      archivedAt: null,
      revert: { messageId: "msg_05", partId: null },
      agent: "build",
      model: { providerId: "anthropic", modelId: "sonnet" },
      cost: 0.02,
      tokens: { input: 5, output: 3, reasoning: 1, cacheRead: 7, cacheWrite: 2 },
    });
  });

  it.each([
    ["updated when it is later than idle", { updated: T + 9, idle: T + 5 }, T + 9],
    ["idle when it is later: messages do not move updated", { updated: T + 5, idle: T + 9 }, T + 9],
    ["updated before any turn ended", { updated: T + 5 }, T + 5],
    ["its creation where nothing else is told", {}, T],
  ])("was last active at %s", (_, time, updatedAt) => {
    expect(normaliseSession({ id: "ses_1", time: { created: T, ...time } })?.updatedAt).toBe(updatedAt);
  });

  it("may have no title, and is then without one", () => {
    expect(normaliseSession({ id: "ses_1" })?.title).toBe("");
  });

  it.each([[null], ["ses_1"], [{}], [{ id: "" }], [{ id: 1 }], [[]]])("is none without an id: %j", (given) => {
    expect(normaliseSession(given)).toBeNull();
  });
});

describe("a message of 2.x", () => {
  it("of a user holds text, files, mentioned agents and skills", () => {
    expect(message("msg_03")).toMatchObject({
      role: "user",
      nativeType: "user",
      parts: [
        { type: "text", text: "Fix the login", synthetic: false },
        { type: "file", filename: "auth.ts", mime: "text/plain", url: "file:///w/app/src/auth.ts" },
        { type: "agent", name: "general" },
        { type: "unknown", nativeType: "skill", value: { name: "review" } },
      ],
    });
  });

  it("of the assistant holds its content in order, unknown content whole, and the files of its snapshot", () => {
    const { parts, ...rest } = message("msg_04");
    expect(rest).toMatchObject({
      role: "assistant",
      finish: "tool-calls",
      cost: 0.02,
      completedAt: T + 17,
      error: null,
    });
    expect(parts.map((part) => part.type)).toEqual([
      "reasoning",
      "text",
      "tool",
      "tool",
      "tool",
      "tool",
      "tool",
      "unknown",
      "patch",
    ]);
    expect(parts.at(-2)).toMatchObject({ nativeType: "citation", value: { url: "https://example.com" } });
    expect(parts.at(-1)).toMatchObject({ files: ["/w/app/src/auth.ts", "/w/other/b.ts"] });
  });

  it.each([
    [
      "completed",
      "call_1",
      { status: "completed", tool: "edit", output: "Edit applied successfully.", error: null, startedAt: T + 6 },
    ],
    [
      "failed, with what it had printed",
      "call_2",
      { status: "error", output: "", error: "The command failed\n1 test failed", endedAt: T + 10 },
    ],
    ["running", "call_3", { status: "running", input: { filePath: "logo.png" }, output: "", endedAt: null }],
    ["still being written", "call_4", { status: "pending", input: { unfinished: '{"filePath": "src/to' } }],
    [
      "completed with a file",
      "call_5",
      { output: "Image read", attachments: [expect.objectContaining({ mime: "image/png", filename: "logo.png" })] },
    ],
  ])("holds a tool call that is %s", (_, callId, expected) => {
    const call = message("msg_04").parts.find((part) => part.type === "tool" && part.callId === callId);
    expect(call).toMatchObject(expected);
  });

  it("reads the names of the builds before 2.0.0", () => {
    const content = [
      { type: "tool", callID: "call_1", name: "read", state: { status: "pending", input: "" } },
      { type: "tool", callID: "call_2", name: "task", state: { status: "completed", input: {}, structured: { a: 1 } } },
    ];
    expect(normaliseMessage({ id: "msg_1", type: "assistant", content }, HOME)?.parts).toMatchObject([
      { callId: "call_1", status: "pending", input: {} },
      { callId: "call_2", status: "completed", metadata: { a: 1 } },
    ]);
  });

  it("that failed keeps its error and that it was retried", () => {
    expect(message("msg_05")).toMatchObject({
      error: { name: "api", message: "not available", statusCode: 403, isRetryable: null },
      parts: [{ type: "step", nativeType: "retry" }],
    });
  });

  it.each([
    ["synthetic", "msg_06", "Continue with the next step."],
    ["system", "msg_07", "The date is 2026-12-01."],
    ["skill", "msg_08", "Read the diff first."],
  ])("of type %s is the host's text, and nobody's role", (nativeType, id, text) => {
    expect(message(id)).toMatchObject({ role: null, nativeType, parts: [{ type: "text", text, synthetic: true }] });
  });

  it("of type shell is a call of the shell", () => {
    expect(message("msg_09")).toMatchObject({
      role: null,
      parts: [
        {
          type: "tool",
          tool: "shell",
          status: "completed",
          input: { command: "git status" },
          output: "nothing to commit",
          metadata: { exit: 0 },
        },
      ],
    });
  });

  it("of type compaction is a summary when it succeeded, an error when not", () => {
    expect(message("msg_10")).toMatchObject({
      role: null,
      isSummary: true,
      error: null,
      parts: [
        { type: "compaction", auto: true },
        { type: "text", text: "The login was fixed.", synthetic: true },
      ],
    });
    expect(message("msg_11")).toMatchObject({ isSummary: false, error: { message: "Too long" } });
  });

  it("of type idle has an error only when the turn failed", () => {
    expect(message("msg_13")).toMatchObject({ role: null, error: { statusCode: 403 } });
    expect(message("msg_14").error).toBeNull();
    expect(normaliseMessage({ id: "msg_1", type: "idle", outcome: "failed" }, HOME)?.error?.message).not.toBe("");
  });

  it.each(["msg_01", "msg_02", "msg_12"])("that switches something keeps its place: %s", (id) => {
    expect(message(id)).toMatchObject({ role: null, parts: [{ type: "step" }] });
  });

  it("of a type from the future is kept whole", () => {
    expect(message("msg_15")).toMatchObject({
      role: null,
      nativeType: "voice-note",
      parts: [{ type: "unknown", value: { seconds: 3 } }],
    });
  });

  it("is never thrown at, whatever it is", () => {
    const type = fc.constantFrom("user", "assistant", "shell", "compaction", "idle", "skill", "synthetic", "new");
    const content = fc.array(fc.oneof(fc.anything(), fc.record({ type: fc.constant("tool"), state: fc.anything() })));
    fc.assert(
      fc.property(
        fc.record({
          id: fc.string(),
          type,
          content,
          snapshot: fc.anything(),
          files: fc.anything(),
          error: fc.anything(),
        }),
        fc.anything(),
        (likely, anything) => {
          expect(normaliseMessage(likely, HOME)?.id ?? "").toBe(likely.id);
          expect(() => normaliseMessage(anything, HOME)).not.toThrow();
          expect(() => normaliseSession(anything)).not.toThrow();
        },
      ),
    );
  });
});
