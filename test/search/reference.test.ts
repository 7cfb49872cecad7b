/** The real search against the reference, over random histories and requests. */

import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { HistorySearch, SearchRequest } from "../../src/search/request.ts";
import { histories, requests } from "../support/history-arbitraries.ts";
import { type ReferenceEdit, type ReferenceHit, ReferenceSearch } from "../support/reference-search.ts";
import { isFullSize } from "../support/test-size.ts";
import { HistoryIndex } from "./history-index.ts";

const HISTORIES = isFullSize() ? 3000 : 60;
const REQUESTS_EACH = 8;
const TIMEOUT_MS = isFullSize() ? 3_600_000 : 120_000;
const NO_LIMIT = 1000;

let index: HistoryIndex;
beforeAll(async () => {
  index = await HistoryIndex.open();
});
afterAll(() => index.close());

test(
  "every search answers as the reference does, with postings and without, whatever is common, on any history",
  async () => {
    const asked = fc.array(requests(), { minLength: REQUESTS_EACH, maxLength: REQUESTS_EACH });
    await fc.assert(
      fc.asyncProperty(histories(), asked, async (history, some) => {
        await index.hold(history);
        for (const request of some) {
          const expected = referenceAnswers(new ReferenceSearch(history, request), request);
          expect(await answers(index.search, request)).toEqual(expected);
          expect(await answers(index.common, request)).toEqual(expected);
          expect(await answers(index.scan, request)).toEqual(expected);
        }
      }),
      { numRuns: HISTORIES },
    );
  },
  TIMEOUT_MS,
);

interface Answers {
  readonly messages: readonly ReferenceHit[];
  readonly hasMoreMessages: boolean;
  readonly sessions: readonly string[];
  readonly hasMoreSessions: boolean;
  /** Sessions counted in each project. */
  readonly projects: ReadonlyMap<string, number>;
  readonly edits: readonly ReferenceEdit[];
  readonly editTimes: readonly number[];
}

function referenceAnswers(reference: ReferenceSearch, { limit }: SearchRequest): Answers {
  const messages = reference.messages();
  const edits = reference.edits();
  return {
    messages: messages.slice(0, limit),
    hasMoreMessages: messages.length > limit,
    sessions: messages.slice(0, limit).map(({ sessionId }) => sessionId),
    hasMoreSessions: messages.length > limit,
    projects: new Map([...reference.projects()].map(([id, sessions]) => [id, sessions.length])),
    edits: sortEdits(edits),
    editTimes: edits.slice(0, limit).map(({ time }) => time),
  };
}

async function answers(search: HistorySearch, request: SearchRequest): Promise<Answers> {
  const messages = await search.searchMessages(request);
  const sessions = await search.searchSessions(request);
  const projects = await search.searchProjects({ ...request, limit: NO_LIMIT });
  const edits = await search.searchEdits({ ...request, limit: NO_LIMIT });
  const newest = await search.searchEdits(request);
  return {
    messages: messages.hits.map(({ sessionId, matches }) => {
      return { sessionId, matches: matches.map(({ term, messageId }) => ({ term, messageId })) };
    }),
    hasMoreMessages: messages.more,
    sessions: sessions.hits.map(({ sessionId }) => sessionId),
    hasMoreSessions: sessions.more,
    projects: new Map(projects.hits.map((hit) => [hit.projectId, hit.sessions])),
    edits: sortEdits(
      edits.hits.map(({ sessionId, messageId, path, tool, time, prompt, firstEdit }) => {
        return { sessionId, messageId, path, tool, time, promptMessageId: prompt?.messageId ?? null, firstEdit };
      }),
    ),
    editTimes: newest.hits.map(({ time }) => time),
  };
}

/** Edits of one moment have no order of their own. */
function sortEdits(edits: readonly ReferenceEdit[]): readonly ReferenceEdit[] {
  return edits.toSorted((one, other) => editKey(one).localeCompare(editKey(other)));
}

function editKey({ messageId, path }: ReferenceEdit): string {
  return `${messageId} ${path}`;
}
