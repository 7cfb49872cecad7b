import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { normaliseMessage, normaliseSession } from "../../../src/host/v1/normalise.ts";
import { normalisePart } from "../../../src/host/v1/normalise-part.ts";
import type { Message, Session } from "../../../src/session/session.ts";
import { loadRecording } from "../../support/recording.ts";

function messagesOf(scenario: string, session = 0): readonly Message[] {
  const recorded = loadRecording(scenario).sessions[session];
  return (recorded?.messages ?? []).flatMap((raw) => normaliseMessage(raw, recorded?.id ?? "") ?? []);
}

function sessionOf(scenario: string, session = 0): Session | null {
  return normaliseSession(loadRecording(scenario).sessions[session]?.session);
}

const shape = (message: Message) => [message.role, ...message.parts.map((part) => part.type)];

describe("recorded sessions of 1.18", () => {
  it("have title, project, directory and times", () => {
    const session = sessionOf("text");
    expect(session).toMatchObject({
      source: "v1",
      title: "Title: Greet me, please",
      directory: "/sandbox/app",
      parentId: null,
      archivedAt: null,
      revert: null,
      agent: "build",
      model: { providerId: "scripted", modelId: "scripted" },
    });
    expect(session?.projectId).toMatch(/^[0-9a-f]{40}$/u);
    expect(session?.updatedAt).toBeGreaterThan(session?.createdAt ?? Infinity);
  });

  it("name the parent of a sub-agent's session", () => {
    expect(sessionOf("sub-agent", 1)?.parentId).toBe(sessionOf("sub-agent", 0)?.id);
    expect(sessionOf("sub-agent", 1)?.agent).toBe("general");
  });

  it("name the boundary of a revert, which keeps the messages", () => {
    const boundary = sessionOf("revert")?.revert;
    expect(boundary).toEqual({ messageId: messagesOf("revert")[2]?.id, partId: null });
    expect(messagesOf("revert")).toHaveLength(4);
  });

  it("carry the archived time and the given title", () => {
    expect(sessionOf("rename-archive-fork")).toMatchObject({
      title: "A title of my own",
      archivedAt: Date.UTC(2026, 0, 2),
    });
  });
});

describe("recorded messages of 1.18", () => {
  it("are a prompt and an answer that names it", () => {
    const [prompt, answer] = messagesOf("text");
    expect(shape(prompt!)).toEqual(["user", "text"]);
    expect(shape(answer!)).toEqual(["assistant", "step", "reasoning", "text", "step"]);
    expect(answer).toMatchObject({
      parentId: prompt?.id,
      agent: "build",
      finish: "stop",
      isSummary: false,
      error: null,
      model: { providerId: "scripted", modelId: "scripted" },
      tokens: { input: 100, output: 10, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    });
    expect(answer?.completedAt).toBeGreaterThanOrEqual(answer?.createdAt ?? Infinity);
  });

  it("hold tool calls with input, output and metadata, and the files each step changed", () => {
    const parts = messagesOf("files").flatMap((message) => message.parts);
    expect(parts.filter((part) => part.type === "patch").map((part) => part.files)).toEqual([
      ["/sandbox/app/notes.txt"],
      ["/sandbox/app/notes.txt"],
    ]);
    const tools = parts.filter((part) => part.type === "tool");
    expect(tools.map((part) => [part.tool, part.status, part.error])).toEqual([
      ["write", "completed", null],
      ["edit", "completed", null],
      ["read", "completed", null],
      ["bash", "completed", null],
    ]);
    expect(tools[1]?.input).toEqual({
      filePath: "/sandbox/app/notes.txt",
      oldString: "second line",
      newString: "line two",
    });
    expect(tools[3]).toMatchObject({ output: "first line\nline two\n", metadata: { exit: 3 } });
  });

  it("mark text that the host wrote for the user, and keep attached files and agents", () => {
    const parts = messagesOf("attachments").find((message) =>
      message.parts.some((part) => part.type === "agent"),
    )?.parts;
    expect(parts?.filter((part) => part.type === "text").map((part) => part.synthetic)).toContain(true);
    expect(parts?.filter((part) => part.type === "file").map((part) => [part.filename, part.mime])).toEqual([
      ["attached.txt", "text/plain"],
      ["pixel.png", "image/png"],
    ]);
    expect(parts?.find((part) => part.type === "agent")).toMatchObject({ name: "general" });
  });

  it("mark the summary of a compaction and nothing else", () => {
    const messages = messagesOf("compaction");
    expect(messages.map((message) => message.isSummary)).toEqual([false, false, false, true, false, false]);
    expect(messages[2]?.parts).toMatchObject([{ type: "compaction", auto: false }]);
  });

  it.each([
    ["provider-error", { name: "APIError", message: "scripted failure 403", statusCode: 403, isRetryable: false }],
    ["abort", { name: "MessageAbortedError", message: "Aborted", statusCode: null, isRetryable: null }],
  ])("of %s carry the error", (scenario, error) => {
    expect(messagesOf(scenario).at(-1)?.error).toEqual(error);
  });

  it("keep failed tool calls: the error text of one, the host's own tool name of another", () => {
    const tools = messagesOf("invalid-tools").flatMap((m) => m.parts.filter((part) => part.type === "tool"));
    expect(tools.map((part) => [part.tool, part.status])).toEqual([
      ["invalid", "completed"],
      ["invalid", "completed"],
      ["read", "error"],
    ]);
    expect(tools[2]?.error).toContain("invalid arguments");
    expect(tools[2]?.output).toBe("");
  });
});

describe("parts of 1.18", () => {
  it.each([
    [
      "a subtask",
      { type: "subtask", agent: "a", prompt: "p", description: "d" },
      { type: "subtask", agent: "a", prompt: "p", description: "d" },
    ],
    ["a retry", { type: "retry", attempt: 1 }, { type: "step", nativeType: "retry" }],
    ["a snapshot", { type: "snapshot" }, { type: "step", nativeType: "snapshot" }],
    [
      "a type of the future",
      { type: "hologram", x: 1 },
      { type: "unknown", nativeType: "hologram", value: { type: "hologram", x: 1 } },
    ],
    ["a tool call without a state", { type: "tool", tool: "bash" }, { type: "unknown", nativeType: "tool" }],
    [
      "a tool call in a state of the future",
      { type: "tool", tool: "x", state: { status: "paused" } },
      { type: "unknown" },
    ],
    ["nothing at all", null, { type: "unknown", nativeType: "unknown", value: null }],
    ["text without text", { type: "text" }, { type: "text", text: "", synthetic: false }],
    ["a patch of mixed values", { type: "patch", files: ["/a", 1, null] }, { type: "patch", files: ["/a"] }],
    [
      "output that is no text",
      { type: "tool", tool: "x", state: { status: "completed", output: { a: 1 } } },
      { output: '{"a":1}' },
    ],
    [
      "input that is no object",
      { type: "tool", tool: "x", state: { status: "running", input: "ls" } },
      { input: {}, status: "running" },
    ],
    [
      "an image that a tool read",
      {
        type: "tool",
        tool: "read",
        state: {
          status: "completed",
          output: "",
          attachments: [{ type: "file", id: "p", mime: "image/png", url: "data:image/png;base64,AA" }, null],
        },
      },
      { attachments: [{ type: "file", id: "p", mime: "image/png" }] },
    ],
  ])("%s", (_, raw, expected) => {
    expect(normalisePart(raw)).toMatchObject(expected);
  });
});

describe("payloads that nobody vouches for", () => {
  it("are refused without an id, and only then", () => {
    expect(normaliseSession({ title: "x" })).toBeNull();
    expect(normaliseSession("ses_1")).toBeNull();
    expect(normaliseMessage({ info: { role: "user" }, parts: [] }, "ses_1")).toBeNull();
    expect(normaliseSession({ id: "ses_1" })).toMatchObject({ projectId: "global", title: "", createdAt: 0 });
    expect(normaliseMessage({ info: { id: "msg_1" } }, "ses_1")).toMatchObject({
      sessionId: "ses_1",
      role: null,
      nativeType: "unknown",
      parts: [],
    });
  });

  it("never hold a time that a Date cannot hold", () => {
    const session = normaliseSession({ id: "ses_1", time: { created: 1e300, updated: 12.6, archived: Number.NaN } });
    expect(session).toMatchObject({ createdAt: 13, updatedAt: 13, archivedAt: null });
  });

  it("never make the normaliser throw", () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.dictionary(fc.constantFrom("id", "type", "state", "time", "role", "error", "tool"), fc.anything()),
        (value, fields) => {
          expect(normalisePart(value).type).toBeTypeOf("string");
          expect(normalisePart({ ...fields, type: "tool", tool: "x" }).type).toMatch(/^(?:tool|unknown)$/u);
          expect(normaliseSession({ ...fields, id: "ses_1" })?.id).toBe("ses_1");
          expect(
            normaliseMessage({ info: { ...fields, id: "msg_1" }, parts: [value, fields] }, "ses_1")?.parts,
          ).toHaveLength(2);
        },
      ),
    );
  });
});
