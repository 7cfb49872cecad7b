import { describe, expect, test } from "vitest";

import { messageDigest, sessionFingerprint } from "../../src/session/fingerprint.ts";
import type { Message, Session } from "../../src/session/session.ts";
import { assistantMessage, buildMessage, buildSession, filePart, textPart, toolPart } from "../support/builders.ts";

describe("a session's fingerprint", () => {
  const changes: [string, Partial<Session>][] = [
    ["title", { title: "Another" }],
    ["project", { projectId: "project-2" }],
    ["directory", { directory: "/w/moved" }],
    ["archived flag", { archivedAt: 1 }],
    ["last activity", { updatedAt: 1 }],
    ["source", { source: "v2" }],
    ["parent", { parentId: "ses_0" }],
    ["revert boundary", { revert: { messageId: "msg_1", partId: null } }],
  ];
  test.each(changes)("changes with the %s", (_name, change) => {
    expect(sessionFingerprint(buildSession(change))).not.toBe(sessionFingerprint(buildSession()));
  });

  test("changes with the part at which a revert begins", () => {
    const whole = buildSession({ revert: { messageId: "msg_1", partId: null } });
    const part = buildSession({ revert: { messageId: "msg_1", partId: "prt_1" } });
    expect(sessionFingerprint(part)).not.toBe(sessionFingerprint(whole));
  });

  test("does not change with what a listing may leave out", () => {
    const session = buildSession({ cost: 2, agent: "plan", model: null });
    expect(sessionFingerprint(session)).toBe(sessionFingerprint(buildSession()));
  });
});

describe("a message's digest", () => {
  const base = assistantMessage("msg_1", ["words", toolPart("edit", { filePath: "a", text: "b" }), filePart()]);
  const changes: [string, Message][] = [
    ["text", { ...base, parts: [textPart("word"), ...base.parts.slice(1)] }],
    ["order of parts", { ...base, parts: base.parts.toReversed() }],
    ["missing part", { ...base, parts: base.parts.slice(1) }],
    ["tool input", withPart(base, toolPart("edit", { filePath: "a", text: "c" }))],
    ["tool input's keys", withPart(base, toolPart("edit", { path: "a", text: "b" }))],
    ["tool state", withPart(base, toolPart("edit", { filePath: "a", text: "b" }, { status: "error", error: "no" }))],
    ["tool output", withPart(base, toolPart("edit", { filePath: "a", text: "b" }, { output: "done" }))],
    ["error", { ...base, error: { name: "APIError", message: "no", statusCode: 403, isRetryable: false } }],
    ["time", { ...base, completedAt: null }],
    ["summary flag", { ...base, isSummary: true }],
    ["file contents", { ...base, parts: [...base.parts.slice(0, 2), filePart({ url: "data:text/plain,x" })] }],
  ];
  test.each(changes)("changes with the %s", (_name, changed) => {
    expect(messageDigest(changed)).not.toBe(messageDigest(base));
  });

  test("does not depend on the order of keys, nor on keys without a value", () => {
    const input = { filePath: "a", text: "b", list: [1, { x: null, y: true }] };
    const reordered = { list: [1, { y: true, gone: undefined, x: null }], text: "b", filePath: "a" };
    expect(digestOf(reordered)).toBe(digestOf(input));
  });

  test.each([
    [{ a: "1" }, { a: 1 }],
    [{ a: null }, {}],
    [{ a: "null" }, { a: null }],
    [{ a: [] }, { a: {} }],
    [{ a: ["b", "c"] }, { a: ["bc"] }],
    [{ a: ["1:s", "x"] }, { a: ["1:", "sx"] }],
    [{ a: { b: "c" } }, { a: "b", c: "" }],
    [{ a: "\ud83d" }, { a: "x" }],
  ])("tells %j from %j", (one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });

  test("reaches the innermost value of deeply nested input", () => {
    expect(digestOf(nested("a"))).not.toBe(digestOf(nested("b")));
    expect(digestOf(nested("a"))).toBe(digestOf(nested("a")));
  });

  test("is short and fit for a column", () => {
    expect(messageDigest(base)).toMatch(/^[\w-]{22}$/u);
    expect(sessionFingerprint(buildSession())).toMatch(/^[\w-]{22}$/u);
  });
});

function withPart(message: Message, tool: Message["parts"][number]): Message {
  return { ...message, parts: message.parts.map((part) => (part.type === "tool" ? tool : part)) };
}

function digestOf(input: Readonly<Record<string, unknown>>): string {
  return messageDigest(buildMessage({ role: "assistant", parts: [toolPart("t", input)] }));
}

/** A tool input 100,000 lists deep. */
function nested(innermost: string): Readonly<Record<string, unknown>> {
  let value: unknown = innermost;
  for (let depth = 0; depth < 100_000; depth += 1) value = [value];
  return { value };
}
