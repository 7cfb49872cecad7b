import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { createMasker } from "../../src/redact/mask.ts";
import { ANSWER_BUDGET } from "../../src/render/fit.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { noPositions } from "../../src/search-index/reader-positions.ts";
import { createSessionReader } from "../../src/search/read-session.ts";
import { createTools } from "../../src/tools/tools.ts";
import { requestOf } from "../cases/told-history.ts";
import { HistoryIndex } from "../search/history-index.ts";
import { FakeHost } from "../support/fake-host.ts";
import { histories } from "../support/history-arbitraries.ts";
import { queryLikeText } from "../support/query-arbitraries.ts";
import { createRecordingLogger } from "../support/recording-logger.ts";
import { MANY_CASES } from "../support/test-size.ts";
import { buildCall } from "../support/tools.ts";
import { unicodeText } from "../support/unicode-text.ts";
import { hold } from "./hold.ts";
import { wrongValues } from "./mutations.ts";

let history: HistoryIndex;
beforeAll(async () => {
  history = await HistoryIndex.open();
});
afterAll(() => history.close());

function texts(): fc.Arbitrary<string> {
  return fc.oneof(
    queryLikeText(),
    unicodeText(),
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.tuple(queryLikeText(), unicodeText()).map(([query, text]) => `project:all ${query} ${text}`),
    fc.constantFrom("(", '"', "a ", "-(", "path:x OR ").map((piece) => piece.repeat(2000)),
  );
}

test("any query is answered alike by postings and by reading", MANY_CASES, async () => {
  await hold(
    fc.asyncProperty(histories(), fc.array(texts(), { minLength: 1, maxLength: 8 }), async (told, queries) => {
      await history.hold(told);
      for (const query of queries) {
        const request = requestOf(query);
        const found = await history.search.searchMessages(request);
        const read = await history.scan.searchMessages(request);
        expect(read.hits).toEqual(found.hits);
        const edits = await history.search.searchEdits(request);
        expect((await history.scan.searchEdits(request)).hits).toEqual(edits.hits);
      }
    }),
    { bounded: 40, full: 3000 },
  );
});

/** Arguments near to right ones, and far from them. */
function args(): fc.Arbitrary<unknown> {
  const value = fc.oneof(texts(), wrongValues());
  const names = ["query", "role", "date", "limit", "show", "sessionID", "messageID", "before", "after", "cursor", "x"];
  const likely = fc.record(
    {
      query: texts(),
      role: fc.constantFrom("user", "assistant", "USER"),
      date: fc.oneof(fc.constantFrom("today", "last 3 days", "2026-07", "2026-07-29 to today"), texts()),
      limit: fc.constantFrom(1, 0, 50, 1000, "3", 2.5),
      show: fc.constantFrom("projects", "sessions"),
    },
    { requiredKeys: [] },
  );
  const reading = fc.record(
    {
      sessionID: fc.constantFrom("ses_0", "ses_1", "none", "../x"),
      messageID: fc.constantFrom("msg_0", "msg_1", "none"),
      before: fc.constantFrom(0, 50, 51),
      cursor: fc.constantFrom("msg_0", "", "none"),
      limit: fc.constantFrom(1, 100, 101),
      includeToolResults: fc.constantFrom(true, "true", 1),
      maxCharsPerMessage: fc.constantFrom(100, 20_000, 1e9),
    },
    { requiredKeys: [] },
  );
  return fc.oneof(likely, reading, fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 }), wrongValues());
}

test("any arguments are answered within bounds, or refused in words for the model", MANY_CASES, async () => {
  const masker = createMasker();
  const host = new FakeHost();
  const log = createRecordingLogger();
  const tools = createTools({
    search: history.search,
    reader: createSessionReader({ host, positions: noPositions, archivedFile: () => Promise.resolve(null) }),
    mask: (text) => masker.mask(text).text,
    clock: systemClock,
    log,
  });
  await hold(
    fc.asyncProperty(histories(), fc.array(args(), { minLength: 1, maxLength: 6 }), async (told, given) => {
      await history.hold(told);
      host.store.sessions.clear();
      for (const { session, messages } of told) host.store.putSession(session, messages);
      for (const tool of tools) {
        for (const one of given) {
          const answer = await tool.execute(one, buildCall()).catch((error: Error) => `refused: ${error.message}`);
          expect(answer).not.toMatch(/\p{Surrogate}|\0/u);
          expect(answer).not.toMatch(/fts5|sqlite|is not a function|Cannot read|undefined/iu);
          expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(ANSWER_BUDGET.bytes);
          expect(answer.split("\n").length).toBeLessThanOrEqual(ANSWER_BUDGET.lines);
        }
      }
      expect(log.lines).toEqual([]);
    }),
    { bounded: 40, full: 3000 },
  );
});
