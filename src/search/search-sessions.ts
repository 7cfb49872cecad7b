/** Search for sessions: which sessions match, without what they say. */

import type { FileSystem } from "./file-system.ts";
import type { SearchRequest } from "./request.ts";
import type { SessionHit } from "./results.ts";
import type { SearchRun } from "./search-run.ts";
import { sessionHit } from "./session-hit.ts";
import { type Found, prepareSearch } from "./session-search.ts";

export async function searchSessions(
  run: SearchRun,
  request: SearchRequest,
  files: FileSystem,
): Promise<Found<SessionHit>> {
  const { scope, source } = await prepareSearch(run, request, files, { findPlaces: false, purpose: "sessions" });
  const hits: SessionHit[] = [];
  for await (const { session } of source.matching(false)) {
    if (hits.length === request.limit) return { hits, more: true, notes: scope.notes };
    hits.push(sessionHit(run.reader, session));
  }
  return { hits, more: false, notes: scope.notes };
}
