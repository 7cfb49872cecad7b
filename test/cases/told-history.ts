/**
 * Told history: what a test tells of past sessions, in an index of its own, searched as an agent searches. Every search
 * is made twice, by the postings and by reading all texts, and must find the same.
 */

import { deepEqual } from "node:assert/strict";

import { onTestFinished } from "vitest";
import { z } from "zod";

import type { HostTool, ToolCall } from "../../src/host/host.ts";
import { parseQuery } from "../../src/query/parser.ts";
import { createMasker } from "../../src/redact/mask.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import type { SearchIndex } from "../../src/search-index/search-index.ts";
import { noPositions } from "../../src/search-index/reader-positions.ts";
import type { FileSystem } from "../../src/search/file-system.ts";
import { createSessionReader } from "../../src/search/read-session.ts";
import type { HistorySearch, SearchRequest } from "../../src/search/request.ts";
import type { MessageHit, Results } from "../../src/search/results.ts";
import type { Message, Session } from "../../src/session/session.ts";
import { createTools } from "../../src/tools/tools.ts";
import { store } from "../search-index/opened-index.ts";
import { HistoryIndex } from "../search/history-index.ts";
import { BUILT_AT, buildSession, userMessage } from "../support/builders.ts";
import { FakeHost } from "../support/fake-host.ts";
import { buildCall } from "../support/tools.ts";

const reading = z.object({
  messages: z.array(z.object({ messageID: z.string(), content: z.string(), reverted: z.boolean().optional() })),
  nextCursor: z.string().nullable(),
});

export type Given = Partial<Omit<SearchRequest, "query" | "signal">>;

export class ToldHistory {
  readonly index: SearchIndex;
  readonly search: HistorySearch;
  /** The host in which the same sessions stand, for history-read; it counts its calls. */
  readonly host = new FakeHost();
  readonly #scan: HistorySearch;
  readonly #tools: readonly HostTool[];

  private constructor({ index, search, scan }: HistoryIndex) {
    this.index = index;
    this.search = search;
    this.#scan = scan;
    const masker = createMasker();
    const reader = createSessionReader({ host: this.host, positions: noPositions, archivedFile: async () => null });
    const mask = (text: string) => masker.mask(text).text;
    this.#tools = createTools({ search, reader, mask, clock: systemClock, log: silentLogger });
  }

  /** It is gone when the test ends. */
  static async begin(files?: FileSystem): Promise<ToldHistory> {
    const index = await HistoryIndex.open(files);
    onTestFinished(() => index.close());
    return new ToldHistory(index);
  }

  /**
   * Tells, or tells anew, all that a session holds. Texts are said by the user, a second apart.
   * @returns the session
   */
  async tell(given: Partial<Session> & { id: string }, messages: readonly (string | Message)[]): Promise<Session> {
    const session = buildSession({ title: "", ...given });
    const told = messages.map((message, place) => {
      if (typeof message !== "string") return { ...message, sessionId: session.id };
      const createdAt = session.createdAt + place * 1000;
      return userMessage(`msg_${session.id}_${place}`, message, { sessionId: session.id, createdAt });
    });
    await store(this.index, session, told);
    this.host.store.sessions.delete(session.id);
    this.host.store.putSession(session, told);
    return session;
  }

  /** Tells one session for each text, "ses_0", "ses_1"…, the first one active last. */
  async tellEach(texts: readonly string[]): Promise<void> {
    for (const [place, text] of texts.entries()) {
      await this.tell({ id: `ses_${place}`, updatedAt: BUILT_AT + 1_000_000 - place }, [text]);
    }
  }

  async messages(query: string, given: Given = {}): Promise<Results<MessageHit>> {
    const request = requestOf(query, given);
    const found = await this.search.searchMessages(request);
    const read = await this.#scan.searchMessages(request);
    deepEqual(read.hits, found.hits);
    return found;
  }

  /** Ids of the sessions that match, last active first. */
  async find(query: string, given: Given = {}): Promise<string[]> {
    const request = requestOf(query, given);
    const found = (await this.search.searchSessions(request)).hits.map(({ sessionId }) => sessionId);
    const read = (await this.#scan.searchSessions(request)).hits.map(({ sessionId }) => sessionId);
    deepEqual(read, found);
    return found;
  }

  /** Reads with history-read. */
  async read(args: unknown): Promise<z.infer<typeof reading>> {
    return reading.parse(JSON.parse(await this.call("history-read", args)));
  }

  /** Calls a history tool. Rejects as the tool does. */
  async call(name: string, args: unknown, call: Partial<ToolCall> = {}): Promise<string> {
    const tool = this.#tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return tool.execute(args, buildCall({ sessionId: "ses_asking", ...call }));
  }
}

export function requestOf(query: string, given: Given = {}): SearchRequest {
  return {
    query: parseQuery(query),
    role: null,
    date: null,
    limit: 50,
    asker: { sessionId: null, projectId: "project-1", directory: "/w/app", turnStartedAt: null },
    signal: new AbortController().signal,
    ...given,
  };
}
