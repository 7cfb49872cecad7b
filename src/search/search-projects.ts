/** Search for projects: how many sessions of each project match, and where they ran. */

import type { FileSystem } from "./file-system.ts";
import type { SearchRequest } from "./request.ts";
import type { ProjectHit } from "./results.ts";
import type { SearchRun } from "./search-run.ts";
import { type Found, prepareSearch } from "./session-search.ts";

/** Largest project first. */
export async function searchProjects(
  run: SearchRun,
  request: SearchRequest,
  files: FileSystem,
): Promise<Found<ProjectHit>> {
  const { scope, source } = await prepareSearch(run, request, files, { findPlaces: false, purpose: "sessions" });
  const counts = new Map<string, { directories: Set<string>; sessions: number; updatedAt: number }>();
  for await (const { session } of source.matching(true)) {
    const count = counts.get(session.projectId) ?? {
      directories: new Set(),
      sessions: 0,
      updatedAt: session.updatedAt,
    };
    counts.set(session.projectId, count);
    count.directories.add(session.directory);
    count.sessions += 1;
  }
  const hits = [...counts]
    .map(([projectId, { directories, sessions, updatedAt }]): ProjectHit => {
      return { projectId, directories: [...directories].sort(), sessions, updatedAt };
    })
    .sort((one, other) => other.sessions - one.sessions || other.updatedAt - one.updatedAt);
  return { hits: hits.slice(0, request.limit), more: hits.length > request.limit, notes: scope.notes };
}
