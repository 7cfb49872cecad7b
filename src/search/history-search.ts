/** History search: the use cases of searching, over an open index. */

import type { Clock } from "../runtime/clock.ts";
import type { SearchableIndex } from "../search-index/reader.ts";
import { type FileSystem, systemFiles } from "./file-system.ts";
import { pathNotes } from "./path-note.ts";
import type { HistorySearch, SearchRequest } from "./request.ts";
import type { Coverage, Results } from "./results.ts";
import { searchEdits } from "./search-edits.ts";
import { searchMessages } from "./search-messages.ts";
import { searchProjects } from "./search-projects.ts";
import { searchSessions } from "./search-sessions.ts";
import { SEARCH_LIMITS, type SearchLimits, type SearchRun, withSearchRun } from "./search-run.ts";
import type { Found } from "./session-search.ts";

export interface HistorySearchOptions {
  readonly index: SearchableIndex & { coverage(): Coverage };
  readonly clock: Clock;
  /** The file system that paths in a query are about. */
  readonly files?: FileSystem;
  readonly limits?: SearchLimits;
}

/** Searches reject when their signal is aborted, and with SqliteError when the index cannot be read. */
export function createHistorySearch({
  index,
  clock,
  files = systemFiles,
  limits = SEARCH_LIMITS,
}: HistorySearchOptions): HistorySearch {
  const search = async <Hit>(
    useCase: (run: SearchRun, request: SearchRequest, files: FileSystem) => Promise<Found<Hit>>,
    request: SearchRequest,
  ): Promise<Results<Hit>> => {
    const found = await withSearchRun(index, clock, request.signal, limits, (run) => useCase(run, request, files));
    const hints = found.hits.length === 0 ? pathNotes(request.query.root) : [];
    return { ...found, notes: [...request.query.notes, ...found.notes, ...hints], coverage: index.coverage() };
  };
  return {
    searchMessages: (request) => search(searchMessages, request),
    searchSessions: (request) => search(searchSessions, request),
    searchProjects: (request) => search(searchProjects, request),
    searchEdits: (request) => search(searchEdits, request),
  };
}
