/** History tools: the four tools of one instance. They exist at once, and answer as soon as the index is open. */

import type { Config } from "./config.ts";
import type { Host, HostTool } from "./host/host.ts";
import type { OpenedIndex } from "./open-index.ts";
import { createMasker } from "./redact/mask.ts";
import type { Clock } from "./runtime/clock.ts";
import { createMessagePositions } from "./search-index/reader-positions.ts";
import type { SearchableIndex } from "./search-index/reader.ts";
import { createHistorySearch } from "./search/history-search.ts";
import { createSessionReader } from "./search/read-session.ts";
import { SearchUnavailableError, type HistorySearch } from "./search/request.ts";
import type { Coverage } from "./search/results.ts";
import { SqliteError } from "./sqlite/database.ts";
import type { Sync } from "./sync/sync.ts";
import { createTools } from "./tools/tools.ts";

export interface HistoryToolsOptions {
  readonly host: Host;
  readonly config: Config;
  readonly clock: Clock;
  readonly opened: Promise<OpenedIndex>;
  readonly sync: Sync;
  /** The archive's file of a session; null when it has none. */
  readonly archivedFile: (sessionId: string) => Promise<string | null>;
  /** Why the archive of this directory cannot be written at present, a sentence; null when it can, or there is none. */
  readonly archiveTrouble: () => string | null;
}

export function createHistoryTools(options: HistoryToolsOptions): readonly HostTool[] {
  const { host, config, clock, opened, archivedFile } = options;
  const masker = createMasker();
  const index = indexOnceOpen(options);
  const search = createHistorySearch({ index, clock });
  const reader = createSessionReader({ host, positions: createMessagePositions(index), archivedFile });
  return createTools({
    search: searchOnceOpen(search, opened),
    reader: {
      async read(request) {
        // Without an index it reads all the same, page by page.
        await opened;
        return reader.read(request);
      },
    },
    mask: config.redact ? (text) => masker.mask(text).text : (text) => text,
    clock,
    log: host.log,
  });
}

/** The index as the tools see it: while there is none, its methods throw SqliteError. */
function indexOnceOpen({
  host,
  opened,
  sync,
  archiveTrouble,
}: HistoryToolsOptions): SearchableIndex & { coverage(): Coverage } {
  let result: OpenedIndex | null = null;
  void opened.then((settled) => (result = settled));
  const opening: OpenedIndex = { index: null, driver: null, reason: "it is still being opened" };
  const use = () => {
    const { index, reason } = result ?? opening;
    if (index === null) throw new SqliteError("cannot-open", `There is no search index: ${reason}`);
    return index;
  };
  return {
    whenOpen: async () => use().whenOpen(),
    beginRead: () => use().beginRead(),
    endRead: () => use().endRead(),
    get hasPostings() {
      return use().hasPostings;
    },
    get mayYieldInReads() {
      return use().mayYieldInReads;
    },
    coverage() {
      const coverage = use().coverage();
      const archive = archiveTrouble();
      const troubles = [...coverage.troubles, ...syncTroubles(host, sync), ...(archive === null ? [] : [archive])];
      return { ...coverage, troubles };
    },
  };
}

/** Why new history may be missing from the index, for the person who reads an answer. */
function syncTroubles(host: Host, sync: Sync): readonly string[] {
  const { ready, reason } = host.availability();
  if (!ready) return [reason ?? "OpenCode's history cannot be read at the moment."];
  const { trouble, sessionsFailing } = sync.progress();
  const failing = `${sessionsFailing} ${sessionsFailing === 1 ? "session" : "sessions"} cannot be read at the moment.`;
  return [
    ...(trouble === null ? [] : [`OpenCode's sessions could not be listed: ${trouble}`]),
    ...(sessionsFailing === 0 ? [] : [failing]),
  ];
}

function searchOnceOpen(search: HistorySearch, opened: Promise<OpenedIndex>): HistorySearch {
  const ready = async (): Promise<HistorySearch> => {
    const { index, reason } = await opened;
    if (index === null) throw new SearchUnavailableError(reason);
    return search;
  };
  return {
    searchMessages: async (request) => (await ready()).searchMessages(request),
    searchSessions: async (request) => (await ready()).searchSessions(request),
    searchProjects: async (request) => (await ready()).searchProjects(request),
    searchEdits: async (request) => (await ready()).searchEdits(request),
  };
}
