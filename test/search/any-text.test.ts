/** Whatever a person or a model types, a search answers. */

import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { parseQuery } from "../../src/query/parser.ts";
import { buildSession, toolPart, assistantMessage, userMessage } from "../support/builders.ts";
import { isFullSize } from "../support/test-size.ts";
import { unicodeText } from "../support/unicode-text.ts";
import { HistoryIndex } from "./history-index.ts";

const RUNS = isFullSize() ? 100_000 : 2000;
const TIMEOUT_MS = isFullSize() ? 1_800_000 : 60_000;

/** What means something to some query language, FTS5's and SQL's among them. */
const SYNTAX = [
  "path:",
  "project:",
  "title:",
  "tool:",
  "is:error",
  "OR",
  "AND",
  "NOT",
  "NEAR(",
  "-",
  "--",
  "(",
  ")",
  '"',
  "'",
  "*",
  "^",
  "{a b}:",
  "%",
  ";",
  "\\",
  "~/x",
  "go",
  "a.ts",
];

const typed = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: "binary" }),
    unicodeText(),
    fc.array(fc.constantFrom(...SYNTAX), { maxLength: 8 }).map((words) => words.join(" ")),
    fc.array(fc.constantFrom(...SYNTAX), { maxLength: 8 }).map((words) => words.join("")),
  );

let index: HistoryIndex;
beforeAll(async () => {
  index = await HistoryIndex.open();
  const edit = toolPart("edit", { filePath: "a.ts" });
  await index.hold([
    { session: buildSession(), messages: [userMessage("msg_1", "let it go"), assistantMessage("msg_2", [edit])] },
  ]);
});
afterAll(() => index.close());

test(
  "any text can be searched for, in every search",
  async () => {
    await fc.assert(
      fc.asyncProperty(typed(), async (text) => {
        const request = {
          query: parseQuery(text),
          role: null,
          date: null,
          limit: 5,
          asker: { sessionId: "ses_1", projectId: "project-1", directory: "/w/app", turnStartedAt: null },
          signal: new AbortController().signal,
        };
        const found = [
          await index.search.searchMessages(request),
          await index.search.searchSessions(request),
          await index.search.searchProjects(request),
          await index.search.searchEdits(request),
        ];
        expect(Math.max(...found.map(({ hits }) => hits.length))).toBeLessThanOrEqual(1);
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);
