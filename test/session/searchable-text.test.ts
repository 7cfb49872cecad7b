import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fold } from "../../src/session/fold.ts";
import { HISTORY_PROMPT_MARK } from "../../src/session/history-prompt.ts";
import {
  DOCUMENT_BYTES,
  PART_SEPARATOR,
  PIECE_OVERLAP,
  promptText,
  searchableDocuments,
} from "../../src/session/searchable-text.ts";
import type { Message, Part } from "../../src/session/session.ts";
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
  userMessage,
} from "../support/builders.ts";
import { unicodeText } from "../support/unicode-text.ts";
import { MANY_CASES } from "../support/test-size.ts";

function chunksOf(...parts: (Part | string)[]): readonly string[] {
  return searchableDocuments(assistantMessage("msg_1", parts)).chunks;
}

/** The separate texts of a message whose documents are few and small. */
function textsOf(...parts: (Part | string)[]): string[] {
  return chunksOf(...parts).flatMap((chunk) => chunk.split(PART_SEPARATOR));
}

describe("what is searchable", () => {
  test("text, reasoning, names, input values, output, errors and file names, in reading order", () => {
    const message = assistantMessage(
      "msg_1",
      [
        reasoningPart("let me think"),
        "the answer",
        toolPart(
          "bash",
          { command: "ls", list: ["x", { deep: "y" }], port: 8080, flag: true, none: null },
          { output: "a.ts" },
        ),
        toolPart("edit", { filePath: "b.ts" }, { status: "error", error: "not found" }),
        toolPart("read", {}, { attachments: [filePart({ filename: "shot.png", url: "data:image/png;base64,AAAA" })] }),
        filePart({ filename: "notes.md" }),
        subtaskPart("look around", { description: "find uses" }),
      ],
      { error: { name: "APIError", message: "overloaded", statusCode: 529, isRetryable: true } },
    );
    expect(searchableDocuments(message).chunks.flatMap((chunk) => chunk.split(PART_SEPARATOR))).toEqual([
      "let me think",
      "the answer",
      "bash",
      "ls",
      "x",
      "y",
      "8080",
      "a.ts",
      "edit",
      "b.ts",
      "not found",
      "read",
      "shot.png",
      "notes.md",
      "find uses",
      "look around",
      "APIError: overloaded",
    ]);
  });

  test("not the host's book-keeping, nor paths that only a snapshot names", () => {
    expect(
      textsOf(
        patchPart(["/w/app/secret.ts"]),
        compactionPart(),
        { type: "step", id: null, nativeType: "step-start" },
        { type: "agent", id: null, name: "general" },
        { type: "unknown", id: null, nativeType: "new", value: "x" },
      ),
    ).toEqual([""]);
  });

  test("case 20: not the calls and results of the history tools", () => {
    const call = toolPart("history-search-messages", { query: "alpha" }, { output: "alpha was found" });
    const refused = toolPart("invalid", { tool: "history-read", error: "alpha" }, { output: "alpha" });
    expect(textsOf("before", call, refused, "after")).toEqual(["before", "after"]);
  });

  test("not the prompt that the history command writes, but what stands beside it", () => {
    expect(textsOf(`/history alpha\n\n${HISTORY_PROMPT_MARK} Look for it.`, "after")).toEqual(["after"]);
    expect(textsOf("/history alpha", `about ${HISTORY_PROMPT_MARK}`)).toHaveLength(2);
  });

  test("a message without words has one empty document", () => {
    expect(chunksOf()).toEqual([""]);
    expect(chunksOf("", " \n ")).toEqual([""]);
  });

  test("NUL and lone surrogates are made visible", () => {
    expect(textsOf("a\0b", "c\ud83dd")).toEqual(["a\u2400b", "c\ufffdd"]);
  });

  test("deeply nested and wide input is read to its end", () => {
    let nested: unknown = "innermost";
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    expect(textsOf(toolPart("t", { nested }))).toEqual(["t", "innermost"]);
    const wide = Array.from({ length: 200_000 }, () => null);
    expect(textsOf(toolPart("t", { wide, last: "end" }))).toEqual(["t", "end"]);
  });
});

describe("case 74: encoded data is left out, the words around it stay", () => {
  const base64 = Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 7919) % 256)).toString("base64");
  const wrapped = base64.replace(/.{76}/gu, "$&\n");
  test.each([
    [`see data:image/png;base64,${base64} here`, "see data:image/png;base64,[…] here"],
    [`![x](data:image/svg+xml;charset=utf-8,%3Csvg%3E) y`, "![x](data:image/svg+xml;charset=utf-8,[…]) y"],
    [`token ${base64} end`, "token […] end"],
    [`-----BEGIN-----\n${wrapped}\n-----END-----`, "-----BEGIN-----\n[…]\n-----END-----"],
    [`${"-".repeat(400)} ruler`, `${"-".repeat(400)} ruler`],
    [`${"0123456789abcdef".repeat(20)} hex`, `${"0123456789abcdef".repeat(20)} hex`],
    ["data: none, base64 is a word", "data: none, base64 is a word"],
    [base64.slice(0, 100), base64.slice(0, 100)],
  ])("%j", (text, kept) => {
    expect(textsOf(text)).toEqual([kept]);
  });

  test("a data URL of 5 MB in the middle of a part leaves its words", MANY_CASES, () => {
    const [text] = textsOf(`first words data:image/png;base64,${"Ab1/".repeat(1_250_000)} last words`);
    expect(text).toMatch(/^first words data:image\/png;base64,\[…\]$/u);
    expect(textsOf(`first words data:image/png;base64,${"Ab1/".repeat(1_250_000)} last words`).at(-1)).toBe(
      "[…] last words",
    );
  });
});

describe("documents", () => {
  test("are cut between parts where possible", () => {
    const parts = ["a", "b", "c", "d"].map((letter) => letter.repeat(6000));
    expect(chunksOf(...parts)).toEqual([parts.slice(0, 2).join(PART_SEPARATOR), parts.slice(2).join(PART_SEPARATOR)]);
  });

  test("overlap by 256 characters where a part is longer than one", () => {
    const text = Array.from({ length: 4000 }, (_, index) => `word${index}`).join(" ");
    const chunks = chunksOf(text);
    expect(chunks.length).toBeGreaterThan(1);
    for (const [index, chunk] of chunks.slice(1).entries()) {
      expect(chunk.slice(0, PIECE_OVERLAP)).toBe(chunks[index]?.slice(-PIECE_OVERLAP));
    }
    expect(
      chunks[0] +
        chunks
          .slice(1)
          .map((chunk) => chunk.slice(PIECE_OVERLAP))
          .join(""),
    ).toBe(text);
  });

  test("hold the first 48 and the last 16 KiB of a longer part, with a mark between", () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(" ");
    const chunks = chunksOf(text);
    const all = chunks.join("\n");
    expect(all).toContain(text.slice(0, 1000));
    expect(all).toContain(text.slice(48 * 1024 - 300, 48 * 1024 - 10));
    expect(all).not.toContain(text.slice(48 * 1024 - 10, 48 * 1024 + 10));
    expect(all).toContain(text.slice(-16 * 1024 + 10));
    expect(all).not.toContain(text.slice(-16 * 1024 - 10, -16 * 1024 + 10));
    expect(chunks.flatMap((chunk) => chunk.split(PART_SEPARATOR))).toContain("[…]");
  });

  test("hold a part of exactly 64 KiB whole", () => {
    const text = "x".repeat(64 * 1024);
    const chunks = chunksOf(text);
    expect(
      chunks.map((chunk) => chunk.length).reduce((sum, length) => sum + length - PIECE_OVERLAP, PIECE_OVERLAP),
    ).toBe(text.length);
  });

  test.each([
    ["emoji", "👩\u200d💻👍\u{1f3fd}❤\ufe0f"],
    ["decomposed accents", "и\u0306о\u0301"],
    ["three-byte characters", "部署"],
  ])("are cut between characters in %s", (_name, unit) => {
    for (let shift = 0; shift < 12; shift += 1) {
      for (const chunk of chunksOf("x".repeat(shift) + unit.repeat(20_000))) {
        expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(DOCUMENT_BYTES);
        expect(chunk).toMatch(/^(?!\p{M}|\u200d|\p{Emoji_Modifier})\P{Surrogate}*$/u);
        expect(chunk).not.toMatch(/\u200d(?:\n|$)/u);
      }
    }
  });

  test("a stack of marks without end is cut all the same", () => {
    const chunks = chunksOf(`e${"\u0301".repeat(30_000)}`);
    expect(chunks.every((chunk) => Buffer.byteLength(chunk) <= DOCUMENT_BYTES)).toBe(true);
  });

  test("no phrase spans two parts, whatever stands at their ends", MANY_CASES, () => {
    fc.assert(
      fc.property(unicodeText(), unicodeText(), (before, after) => {
        const folded = fold(chunksOf(`${before}a`, `b${after}`)[0] ?? "");
        const seam = folded.indexOf("\u001e");
        expect(folded.slice(0, seam)).toBe(`${fold(`${before}a`.replaceAll("\u001e", "\u241e"))} `);
        expect(folded.slice(seam + 1)).not.toContain("\u001e");
      }),
    );
  });

  test("fit their size, are well-formed, and hold every short part whole", MANY_CASES, () => {
    const texts = fc.array(fc.tuple(unicodeText(), fc.constantFrom(1, 1, 1, 50, 600)), { maxLength: 12 });
    fc.assert(
      fc.property(texts, (repeated) => {
        const parts = repeated.map(([text, times]) => text.repeat(times));
        const chunks = chunksOf(...parts);
        for (const chunk of chunks) {
          expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(DOCUMENT_BYTES);
          expect(chunk).toMatch(/^[^\p{Surrogate}\0]*$/u);
        }
        const folds = chunks.map(fold);
        for (const part of parts.filter((text) => text.length < 100 && text.trim() !== "")) {
          const folded = fold(part.replaceAll("\u001e", "\u241e")).trim();
          expect(folds.some((chunk) => chunk.includes(folded))).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("the prompt that is shown beside an edit", () => {
  test.each<[string, Message, string | null]>([
    ["words", buildMessage({ role: "user", parts: ["Fix the login"] }), "Fix the login"],
    ["several parts", buildMessage({ role: "user", parts: ["Fix", "it"] }), "Fix\nit"],
    ["a history prompt", userMessage("msg_1", `/history alpha \n\n${HISTORY_PROMPT_MARK} Look.`), "/history alpha"],
    ["white space around", buildMessage({ role: "user", parts: ["\n Fix  it \n"] }), "Fix  it"],
    [
      "synthetic beside written",
      buildMessage({ role: "user", parts: ["Fix", textPart("Read", { synthetic: true })] }),
      "Fix",
    ],
    ["synthetic only", buildMessage({ role: "user", parts: [textPart("Continue", { synthetic: true })] }), null],
    ["no words", buildMessage({ role: "user", parts: ["  ", filePart()] }), null],
    ["an assistant", buildMessage({ role: "assistant", parts: ["Done"] }), null],
    ["neither", buildMessage({ role: null, parts: ["$ ls"] }), null],
  ])("%s", (_name, message, expected) => {
    expect(promptText(message)).toBe(expected);
  });

  test.each([
    ["x".repeat(300), 300, "x"],
    ["x".repeat(301), 300, "…"],
    ["🤖".repeat(151), 299, "…"],
    [`${"x".repeat(298)}👩\u200d💻 more`, 299, "…"],
    [`e${"\u0301".repeat(400)}`, 300, "…"],
  ])("%j has %j units and ends in %j", (text, length, end) => {
    const shown = promptText(buildMessage({ role: "user", parts: [text] })) ?? "";
    expect(shown).toHaveLength(length);
    expect(shown.endsWith(end)).toBe(true);
    expect(shown).toMatch(/^\P{Surrogate}*$/u);
  });
});
