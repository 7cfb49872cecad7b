import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { renderReading, type ReadingOptions } from "../../src/render/reading.ts";
import type { Reading } from "../../src/search/read-session-request.ts";
import { BUILT_AT, userMessage } from "../support/builders.ts";
import { isFullSize } from "../support/test-size.ts";

const answerSchema = z.strictObject({
  sessionID: z.string(),
  messages: z.array(
    z.strictObject({
      messageID: z.string(),
      role: z.enum(["user", "assistant"]),
      time: z.iso.datetime({ offset: true }),
      content: z.string(),
      truncated: z.boolean(),
      toolResultsOmitted: z.boolean(),
      otherContentOmitted: z.boolean(),
      reverted: z.literal(true).optional(),
    }),
  ),
  nextCursor: z.string().nullable(),
  anchorIncluded: z.boolean().optional(),
});

const plain: ReadingOptions = {
  anchorId: null,
  maxChars: 20_000,
  includeToolResults: false,
  mask: (text) => text,
  breathe: () => undefined,
};

const entry = (id: string, text = id, reverted = false) => ({
  message: userMessage(id, text, { createdAt: BUILT_AT + 123 }),
  reverted,
});

function reading(given: {
  before?: string[];
  anchor?: string;
  after?: string[];
  more?: boolean;
  text?: string;
}): Reading {
  const { before = [], anchor, after = [], more = false, text } = given;
  return {
    sessionId: "ses_1",
    before: before.map((id) => entry(id, text)),
    anchor: anchor === undefined ? null : entry(anchor, text),
    after: after.map((id) => entry(id, text)),
    more,
  };
}

async function render(what: Reading, options: Partial<ReadingOptions> = {}) {
  const answer = await renderReading(what, { ...plain, ...options });
  return { ...answerSchema.parse(JSON.parse(answer)), bytes: Buffer.byteLength(answer) };
}

const ids = (answer: { messages: { messageID: string }[] }) => answer.messages.map((message) => message.messageID);

describe("the answer of history-read", () => {
  it("is the contract's JSON", async () => {
    const what = { ...reading({ after: ["a"] }), more: true };
    const answer = await renderReading({ ...what, after: [entry("a", "hello", true)] }, plain);
    const { messages, ...rest } = answerSchema.parse(JSON.parse(answer));
    expect(rest).toEqual({ sessionID: "ses_1", nextCursor: "a" });
    expect(messages).toMatchObject([
      { messageID: "a", role: "user", content: "hello", truncated: false, reverted: true },
    ]);
    expect(Date.parse(messages[0]?.time ?? "")).toBe(BUILT_AT + 123);
  });

  it.each<[string, Reading, string | null, { ids: string[]; nextCursor: string | null; anchorIncluded?: boolean }]>([
    ["an empty page", reading({}), null, { ids: [], nextCursor: null }],
    ["the last page", reading({ after: ["a", "b"] }), null, { ids: ["a", "b"], nextCursor: null }],
    [
      "a page with more after it",
      reading({ after: ["a", "b"], more: true }),
      null,
      { ids: ["a", "b"], nextCursor: "b" },
    ],
    [
      "a window in the middle",
      reading({ before: ["a"], anchor: "b", after: ["c"], more: true }),
      "b",
      { ids: ["a", "b", "c"], nextCursor: "c", anchorIncluded: true },
    ],
    [
      "a window at the end",
      reading({ before: ["a"], anchor: "b" }),
      "b",
      { ids: ["a", "b"], nextCursor: null, anchorIncluded: true },
    ],
    [
      "a window with nothing asked for after it",
      reading({ before: ["a"], anchor: "b", more: true }),
      "b",
      { ids: ["a", "b"], nextCursor: "b", anchorIncluded: true },
    ],
    [
      "a window around a message of the other role",
      reading({ before: ["a"], after: ["c"], more: true }),
      "b",
      { ids: ["a", "c"], nextCursor: "c", anchorIncluded: false },
    ],
    [
      "such a window with nothing after it",
      reading({ before: ["a"], more: true }),
      "b",
      { ids: ["a"], nextCursor: "b", anchorIncluded: false },
    ],
  ])("continues rightly after %s", async (_what, what, anchorId, { ids: expectedIds, ...expected }) => {
    const answer = await render(what, { anchorId });
    expect(ids(answer)).toEqual(expectedIds);
    expect(answer).toMatchObject(expected);
    expect(answer.anchorIncluded).toBe(expected.anchorIncluded);
  });
});

describe("an answer that would be too large", () => {
  const letters = ["a", "b", "c", "d", "e"];

  it("of a page keeps its first messages, and goes on after them", async () => {
    const answer = await render(reading({ after: letters, text: "x".repeat(15_000) }));
    expect(ids(answer)).toEqual(["a", "b", "c"]);
    expect(answer.nextCursor).toBe("c");
  });

  it("of a window drops the farthest messages first", async () => {
    const what = reading({ before: ["a", "b"], anchor: "c", after: ["d", "e"], text: "x".repeat(15_000) });
    const answer = await render(what, { anchorId: "c" });
    expect(ids(answer)).toEqual(["b", "c", "d"]);
    expect(answer.nextCursor).toBe("d");
  });

  it("of a window keeps the anchor alone when need be, and goes on after it", async () => {
    const what = reading({ before: ["a", "b"], anchor: "c", after: ["d", "e"], text: "漢".repeat(12_000) });
    const answer = await render(what, { anchorId: "c" });
    expect(ids(answer)).toEqual(["c"]);
    expect(answer.nextCursor).toBe("c");
  });

  it.each([
    ["characters of three bytes", "漢"],
    ["pairs", "a🔌漢漢漢"],
    ["characters that JSON writes in six", "\u0001"],
  ])("of one message is cut further: %s", async (_what, piece) => {
    const answer = await render(reading({ after: ["a", "b"], text: piece.repeat(20_000 / piece.length) }));
    expect(ids(answer)).toEqual(["a"]);
    expect(answer.messages[0]).toMatchObject({ truncated: true });
    expect(answer.messages[0]?.content).not.toMatch(/\p{Surrogate}/u);
    expect(answer.nextCursor).toBe("a");
    expect(answer.bytes).toBeLessThanOrEqual(46 * 1024);
    expect(answer.bytes).toBeGreaterThan(46_000);
  });

  it("is never larger than allowed, never empty, and always in order", async () => {
    const texts = fc
      .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), fc.nat({ max: 3_000 }))
      .map(([piece, times]) => piece.repeat(times + 1));
    const property = fc.asyncProperty(
      fc.array(texts, { maxLength: 8 }),
      fc.array(texts, { maxLength: 8 }),
      fc.option(texts),
      fc.boolean(),
      async (before, after, anchor, more) => {
        const named = (list: string[], prefix: string) => list.map((text, index) => entry(`${prefix}${index}`, text));
        const what: Reading = {
          sessionId: "ses_1",
          before: named(before, "a"),
          anchor: anchor === null ? null : entry("b", anchor),
          after: named(after, "c"),
          more,
        };
        const answer = await render(what, { anchorId: "b" });
        const all = [...what.before, ...(what.anchor === null ? [] : [what.anchor]), ...what.after];
        const allIds = all.map(({ message }) => message.id);
        expect(answer.bytes).toBeLessThanOrEqual(46 * 1024);
        expect(answer.messages.length > 0).toBe(all.length > 0);
        // Neighbours without a gap, the anchor among them.
        const first = Math.max(0, allIds.indexOf(ids(answer)[0] ?? ""));
        expect(ids(answer)).toEqual(allIds.slice(first, first + answer.messages.length));
        expect(ids(answer).includes("b")).toBe(anchor !== null);
        const last = ids(answer).findLast((id) => id >= "b") ?? "b";
        const isEnd = !more && (ids(answer).at(-1) ?? "") === (allIds.at(-1) ?? "");
        expect(answer.nextCursor).toBe(isEnd ? null : last);
      },
    );
    await fc.assert(property, { numRuns: isFullSize() ? 2_000 : 100 });
  });
});
