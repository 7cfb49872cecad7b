import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { Message, MessageRole } from "../../src/session/session.ts";
import { BUILT_AT, buildConversation, buildMessage, toolPart } from "../support/builders.ts";
import { expectedReading, setUpReading } from "../support/reading.ts";
import { isFullSize } from "../support/test-size.ts";
import { buildCall, setUpTools } from "../support/tools.ts";

const answerSchema = z.object({
  sessionID: z.string(),
  messages: z.array(z.object({ messageID: z.string(), content: z.string(), truncated: z.boolean() })),
  nextCursor: z.string().nullable(),
  anchorIncluded: z.boolean().optional(),
});

function setUp(messages: readonly Message[], options: Parameters<typeof setUpReading>[1] = {}) {
  const { host, reader } = setUpReading(messages, options);
  const { run } = setUpTools({ reader });
  return { host, read: async (args: unknown) => answerSchema.parse(JSON.parse(await run("history-read", args))) };
}

const idsOf = (answer: z.infer<typeof answerSchema>) => answer.messages.map((message) => message.messageID);

describe("history-read", () => {
  const messages = buildConversation("ses_1", 60);
  const id = (index: number) => messages[index]?.id ?? "";
  const ids = (from: number, to: number) => messages.slice(from, to).map((message) => message.id);

  it.each([
    ["the current session from its start", {}, ids(0, 20), id(19)],
    ["a session named by id", { sessionID: "ses_1", limit: 2 }, ids(0, 2), id(1)],
    ["after a cursor", { cursor: id(9), limit: 3 }, ids(10, 13), id(12)],
    ["the end", { cursor: id(55), limit: 100 }, ids(56, 60), null],
    ["after the last message", { cursor: id(59) }, [], null],
    ["five messages around one", { messageID: id(30) }, ids(25, 36), id(35)],
    ["a window of its own size", { messageID: id(30), before: 0, after: 1 }, ids(30, 32), id(31)],
    ["one role", { role: "user", limit: 2 }, [id(0), id(2)], id(2)],
    ["arguments as strings, empty ones left out", { limit: "1", cursor: "", role: null }, ids(0, 1), id(0)],
  ])("reads %s", async (_what, args, expected, nextCursor) => {
    const answer = await setUp(messages).read(args);
    expect(idsOf(answer)).toEqual(expected);
    expect(answer.nextCursor).toBe(nextCursor);
  });

  it("an anchor of the other role places the window and is not in it", async () => {
    const answer = await setUp(messages).read({ messageID: id(31), before: 1, after: 1, role: "user" });
    expect(answer).toMatchObject({ anchorIncluded: false, nextCursor: id(32) });
    expect(idsOf(answer)).toEqual([id(30), id(32)]);
  });

  it("cuts messages to the length asked for", async () => {
    const long = [buildMessage({ parts: ["x".repeat(500)] })];
    expect(await setUp(long).read({ maxCharsPerMessage: 100 })).toMatchObject({
      messages: [{ content: "x".repeat(100), truncated: true }],
    });
  });

  it("shows what tools returned only when asked", async () => {
    const one = [
      buildMessage({ role: "assistant", parts: [toolPart("bash", { command: "ls" }, { output: "a.txt" })] }),
    ];
    const { read } = setUp(one);
    expect(await read({})).toMatchObject({ messages: [{ content: "[tool: bash] [tool results omitted]" }] });
    expect(await read({ includeToolResults: true })).toMatchObject({ messages: [{ content: "[tool: bash]\na.txt" }] });
  });

  it("walks through every eligible message once and in order, however large they are", async () => {
    const sizes = fc.constantFrom(1, 1, 10, 900, 9_000, 18_000);
    const specs = fc.array(
      fc.record({
        size: sizes,
        letter: fc.constantFrom("x", "漢", "🔌", "\u0000", '"'),
        role: fc.constantFrom<(MessageRole | null)[]>("user", "assistant", null),
      }),
      { maxLength: 40 },
    );
    const property = fc.asyncProperty(
      specs,
      fc.constantFrom<(MessageRole | null)[]>(null, "user", "assistant"),
      fc.integer({ min: 1, max: 100 }),
      fc.constantFrom("v1" as const, "v2" as const),
      fc.nat(),
      async (given, role, limit, source, place) => {
        const list = given.map(({ size, letter, role: of }, index) =>
          buildMessage({
            id: `msg_${String(index).padStart(3, "0")}`,
            role: of,
            createdAt: BUILT_AT + index,
            parts: [letter.repeat(size)],
          }),
        );
        const { read } = setUp(list, { source });
        const base = { role, maxCharsPerMessage: 20_000 };
        const all = expectedReading(list, { kind: "after", cursor: null, limit: list.length }, role).after;

        const walked: string[] = [];
        for (let cursor: string | null = null, isEnd = false; !isEnd;) {
          const answer = await read({ ...base, limit, cursor });
          expect(answer.messages.length > 0).toBe(walked.length < all.length);
          walked.push(...idsOf(answer));
          cursor = answer.nextCursor;
          isEnd = cursor === null;
        }
        expect(walked).toEqual(all);

        // From a window on: what follows its last message, or its anchor.
        const anchor = list[place % Math.max(list.length, 1)];
        if (anchor === undefined) return;
        const window = await read({ ...base, messageID: anchor.id });
        const onward = window.nextCursor === null ? [] : idsOf(await read({ ...base, cursor: window.nextCursor }));
        const seen = [...idsOf(window), ...onward];
        const from = all.indexOf(seen[0] ?? "");
        expect(seen).toEqual(from === -1 ? [] : all.slice(from, from + seen.length));
      },
    );
    await fc.assert(property, { numRuns: isFullSize() ? 1_000 : 60 });
  });
});

describe("what the model is told when it goes wrong", () => {
  const messages = buildConversation("ses_1", 5);

  it.each([
    [
      "a missing session",
      { sessionID: "ses_x" },
      /^history-read: There is no session "ses_x" in OpenCode\. The archive/u,
    ],
    ["a missing anchor", { messageID: "msg_x" }, /^history-read: messageID: session "ses_1" has no message "msg_x"/u],
    ["a missing cursor", { cursor: "msg_x" }, /^history-read: cursor: session "ses_1" has no message "msg_x"/u],
  ])("%s", async (_what, args, message) => {
    await expect(setUp(messages, { archivedFile: async () => "/w/ses_x.json" }).read(args)).rejects.toThrow(message);
  });

  it("a call outside any session needs a session id", async () => {
    const { run } = setUpTools();
    await expect(run("history-read", {}, buildCall({ sessionId: "" }))).rejects.toThrow(/sessionID is missing/u);
  });

  it("a failing host is named", async () => {
    const { host, read } = setUp(messages);
    host.failWhen(() => "unavailable");
    await expect(read({})).rejects.toThrow(/^history-read: No answer from session/u);
  });
});
