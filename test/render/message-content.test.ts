import { describe, expect, it } from "vitest";

import { messageContent, type MessageContent } from "../../src/render/message-content.ts";
import type { Part } from "../../src/session/session.ts";
import {
  assistantMessage,
  buildMessage,
  compactionPart,
  filePart,
  patchPart,
  reasoningPart,
  subtaskPart,
  textPart,
  toolPart,
} from "../support/builders.ts";

const plain = { maxChars: 2_000, includeToolResults: false, mask: (text: string) => text };
const whole = { content: "", truncated: false, toolResultsOmitted: false, otherContentOmitted: false };

const bash = toolPart(
  "bash",
  { command: "ls -la /secret" },
  { output: "a.txt", metadata: { exit: 0, hidden: "meta" } },
);
const failed = toolPart("edit", { filePath: "a" }, { status: "error", output: "", error: "no such file" });
const running = toolPart("bash", {}, { status: "running" });

describe("what is shown of a message", () => {
  it.each<[string, readonly (Part | string)[], boolean, Partial<MessageContent>]>([
    ["nothing", [], false, {}],
    ["texts", ["one", "", "two"], false, { content: "one\n\ntwo" }],
    [
      "a tool call without results",
      ["I look", bash],
      false,
      {
        content: "I look\n\n[tool: bash] [tool results omitted]",
        toolResultsOmitted: true,
        otherContentOmitted: true,
      },
    ],
    ["a tool call with results", [bash], true, { content: "[tool: bash]\na.txt", otherContentOmitted: true }],
    [
      "a failed tool call with results",
      [failed],
      true,
      { content: "[tool: edit] [error]\nno such file", otherContentOmitted: true },
    ],
    ["a call without input still running", [running], true, { content: "[tool: bash] [no result yet]" }],
    ["reasoning", [reasoningPart("hm"), "yes"], false, { content: "yes", otherContentOmitted: true }],
    ["empty reasoning", [reasoningPart(""), "yes"], false, { content: "yes" }],
    ["an attachment", [filePart()], false, { otherContentOmitted: true }],
    [
      "a picture a tool gave",
      [toolPart("read", {}, { output: "see", attachments: [filePart()] })],
      true,
      { content: "[tool: read]\nsee", otherContentOmitted: true },
    ],
    ["a sub-task", [subtaskPart("find uses")], false, { otherContentOmitted: true }],
    ["a patch", [patchPart(["/w/a"])], false, { otherContentOmitted: true }],
    ["a compaction", [compactionPart()], false, { otherContentOmitted: true }],
    ["the host's book-keeping", [{ type: "step", id: null, nativeType: "step-start" }, "x"], false, { content: "x" }],
    [
      "a part of a type not known yet",
      [{ type: "unknown", id: null, nativeType: "hologram", value: { secret: 1 } }],
      false,
      { otherContentOmitted: true },
    ],
  ])("%s", (_what, parts, includeToolResults, expected) => {
    expect(messageContent(assistantMessage("msg_1", parts), { ...plain, includeToolResults })).toEqual({
      ...whole,
      ...expected,
    });
  });

  it("leaves out what the host wrote in the user's name: it repeats tool inputs", () => {
    const parts = [
      "Look at this",
      textPart('Called the Read tool with the following input: {"filePath":"/w/.env"}', { synthetic: true }),
      textPart("00001| PASSWORD=x", { synthetic: true }),
    ];
    const shown = { ...whole, content: "Look at this", otherContentOmitted: true };
    expect(messageContent(buildMessage({ role: "user", parts }), { ...plain, includeToolResults: true })).toEqual(
      shown,
    );
  });

  it("tells how a turn failed", () => {
    const error = { name: "APIError", message: "not available", statusCode: 403, isRetryable: false };
    expect(messageContent(assistantMessage("msg_1", [], { error }), plain)).toEqual({
      ...whole,
      content: "[error: APIError (status 403)] not available",
    });
  });
});

const maskKeys = (text: string) => text.replace(/-----BEGIN KEY-----A+-----END KEY-----/gu, "[redacted:key]");

describe("the cap", () => {
  it.each([
    ["does not cut what just fits", "x".repeat(100), "x".repeat(100), false],
    ["cuts what is one longer", "x".repeat(101), "x".repeat(100), true],
    ["never splits a surrogate pair", `${"x".repeat(99)}🔌y`, "x".repeat(99), true],
    ["counts UTF-16 units", "🔌".repeat(51), "🔌".repeat(50), true],
    ["is not confused by lone surrogates", `\ud83d${"x".repeat(99)}`, `\ufffd${"x".repeat(99)}`, false],
  ])("%s", (_what, text, expected, truncated) => {
    expect(messageContent(assistantMessage("msg_1", [text]), { ...plain, maxChars: 100 })).toEqual({
      ...whole,
      content: expected,
      truncated,
    });
  });

  it("keeps every flag right when it falls inside a mark", () => {
    const shown = messageContent(assistantMessage("msg_1", ["x".repeat(80), bash]), { ...plain, maxChars: 100 });
    expect(shown).toEqual({
      content: `${"x".repeat(80)}\n\n[tool: bash] [tool`,
      truncated: true,
      toolResultsOmitted: true,
      otherContentOmitted: true,
    });
  });

  it("hides a secret that reaches across it", () => {
    const key = `-----BEGIN KEY-----${"A".repeat(3_000)}-----END KEY-----`;
    const message = assistantMessage("msg_1", [`${"x".repeat(90)} ${key} end`]);
    expect(messageContent(message, { ...plain, maxChars: 100, mask: maskKeys })).toMatchObject({
      content: `${"x".repeat(90)} [redacted`,
      truncated: true,
    });
  });

  it("says so when what follows many secrets is cut off", () => {
    const key = `-----BEGIN KEY-----${"A".repeat(3_000)}-----END KEY----- `;
    const message = assistantMessage("msg_1", [`${key.repeat(5)}end`, "x".repeat(20_000)]);
    const shown = messageContent(message, { ...plain, maxChars: 1_500, mask: maskKeys });
    expect(shown.truncated).toBe(true);
    expect(shown.content).toMatch(/^(?:\[redacted:key\] ){5}end\n\nx+$/u);
  });

  it("looks at no more of a huge output than it needs", () => {
    let seen = 0;
    const mask = (text: string) => {
      seen += text.length;
      return text;
    };
    const huge = toolPart("bash", {}, { output: "y".repeat(5_000_000) });
    const shown = messageContent(assistantMessage("msg_1", [huge, huge]), {
      maxChars: 100,
      includeToolResults: true,
      mask,
    });
    expect(shown).toMatchObject({ truncated: true });
    expect(seen).toBeLessThan(50_000);
  });
});
