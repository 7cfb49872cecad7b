/** Session scope: which sessions a search looks at, from `project:` or from where it was asked. */

import type { ProjectScope } from "../query/ast.ts";
import { GLOBAL_PROJECT } from "../session/session.ts";
import { normalisePath } from "../session/file-path.ts";
import type { SessionPlace } from "../search-index/reader-sessions.ts";
import { expandHome, type FileSystem } from "./file-system.ts";
import type { Asker } from "./request.ts";
import type { SearchRun } from "./search-run.ts";

export interface SessionScope {
  /** Set when the scope is exactly one project: its sessions have an order of their own in the index. */
  readonly projectId: string | null;
  includes(place: SessionPlace): boolean;
  /** Lines for the model about how `project:` was understood. */
  readonly notes: readonly string[];
}

export async function resolveScope(
  run: SearchRun,
  project: ProjectScope,
  asker: Asker,
  files: FileSystem,
): Promise<SessionScope> {
  switch (project.kind) {
    case "all":
      return { projectId: null, includes: () => true, notes: [] };
    case "id":
      return projectScope(run, project.id);
    case "path":
      return pathScope(run, expandHome(project.path, asker.directory, files), files);
    case "current":
      return currentScope(run, asker, files);
  }
}

function projectScope(run: SearchRun, projectId: string): SessionScope {
  const isKnown = run.reader.sessions.nextPlace({ projectId, directory: "" })?.projectId === projectId;
  return {
    projectId,
    includes: (place) => place.projectId === projectId,
    notes: isKnown ? [] : [`No indexed session belongs to the project "${projectId}". Use project:all to search all.`],
  };
}

/**
 * The projects with sessions in the directory or below, with all their worktrees. Of the project that stands for "no
 * git repository" only those sessions themselves: its other directories have nothing to do with this one.
 */
async function pathScope(run: SearchRun, path: string, files: FileSystem): Promise<SessionScope> {
  const bases = await namesOf(path, files);
  const isThere = (directory: string): boolean => bases.some((base) => isAtOrBelow(directory, base));
  const places = await allPlaces(run, null);
  let there: readonly SessionPlace[] = places.filter((place) => isThere(place.directory));
  if (there.length === 0) there = await placesThroughLinks(run, places, isThere, files);
  const projects = new Set(there.map((place) => place.projectId).filter((id) => id !== GLOBAL_PROJECT));
  const directories = new Set(there.map((place) => place.directory));
  return {
    projectId: null,
    includes: (place) => projects.has(place.projectId) || directories.has(place.directory),
    notes: there.length > 0 ? [] : [`No indexed session ran in ${path} or below. Use project:all to search all.`],
  };
}

/** Sessions that were stored under a link to the directory asked for. */
async function placesThroughLinks(
  run: SearchRun,
  places: readonly SessionPlace[],
  isThere: (directory: string) => boolean,
  files: FileSystem,
): Promise<readonly SessionPlace[]> {
  const found: SessionPlace[] = [];
  for (const place of places) {
    if (isThere(normalisePath(await files.realPath(place.directory)))) found.push(place);
    await run.pause();
  }
  return found;
}

/**
 * The current project. A repository may have been made after some of its sessions (`git init`): those that ran here
 * without one belong to it too.
 */
async function currentScope(run: SearchRun, asker: Asker, files: FileSystem): Promise<SessionScope> {
  const asking = asker.sessionId === null ? null : run.reader.sessions.byId(asker.sessionId);
  const projectId = asker.projectId ?? asking?.projectId ?? null;
  if (projectId === null) return pathScope(run, asker.directory, files);
  const bases = await namesOf(asker.directory, files);
  const isHere = (directory: string): boolean => bases.some((base) => isAtOrBelow(directory, base));
  if (projectId === GLOBAL_PROJECT) {
    return { projectId: null, includes: (place) => isHere(place.directory), notes: [] };
  }
  const before = (await allPlaces(run, GLOBAL_PROJECT)).filter((place) => isHere(place.directory));
  const directories = new Set(before.map((place) => place.directory));
  return {
    projectId: before.length === 0 ? projectId : null,
    includes: (place) =>
      place.projectId === projectId || (place.projectId === GLOBAL_PROJECT && directories.has(place.directory)),
    notes: [],
  };
}

/** Distinct places, of one project when it is given. */
async function allPlaces(run: SearchRun, projectId: string | null): Promise<readonly SessionPlace[]> {
  const places: SessionPlace[] = [];
  let last: SessionPlace | null = projectId === null ? null : { projectId, directory: "" };
  for (;;) {
    last = run.reader.sessions.nextPlace(last);
    if (last === null || (projectId !== null && last.projectId !== projectId)) return places;
    places.push(last);
    await run.pause();
  }
}

/** A directory as it is named and as it really is: a repository may be opened through a link. */
async function namesOf(directory: string, files: FileSystem): Promise<readonly string[]> {
  return [...new Set([normalisePath(directory), normalisePath(await files.realPath(directory))])];
}

function isAtOrBelow(directory: string, base: string): boolean {
  const normalised = normalisePath(directory);
  return normalised === base || normalised.startsWith(base.endsWith("/") ? base : `${base}/`);
}
