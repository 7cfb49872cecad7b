/** Session hits and project hits: the answers of history-search-sessions. Pure. */

import type { ProjectHit, Results, SessionHit } from "../search/results.ts";
import { type Entry, fit } from "./fit.ts";
import { count, footOf } from "./foot.ts";
import { localMinute } from "./local-time.ts";
import { name, pathName, QUOTATION_NOTICE } from "./quote.ts";
import type { RenderOptions } from "./render-options.ts";
import { sessionLines } from "./session-lines.ts";

export async function renderSessionHits(results: Results<SessionHit>, options: RenderOptions): Promise<string> {
  const { hits } = results;
  const first = hits[0];
  const next =
    first === undefined
      ? 'try fewer or other words, project:all, or {"show":"projects"} for an overview.'
      : `history-read ${JSON.stringify({ sessionID: first.sessionId })} reads a session from its start; history-search-messages finds the message that holds a word.`;
  const foot = footOf(results, { noun: "sessions", next, notes: options.notes });
  if (first === undefined) return ["No session matches.", ...foot(0)].join("\n");
  const total = `${count(hits.length)} ${hits.length === 1 ? "session" : "sessions"}, newest activity first.`;
  const entries = hits.map((hit, index) => ({ head: sessionLines(hit, index + 1, options.mask), items: [] }));
  return fit({ head: [`${total} ${QUOTATION_NOTICE}`, ""], entries, foot }, options.breathe);
}

/** Directories named for one project; the others are counted. */
const MAX_DIRECTORIES = 12;

export async function renderProjectHits(results: Results<ProjectHit>, options: RenderOptions): Promise<string> {
  const { hits } = results;
  const first = hits[0];
  const next =
    first === undefined
      ? "try fewer or other words; project:all searches every project."
      : `history-search-sessions ${JSON.stringify({ query: `project:${first.projectId}` })} lists the sessions of the first one.`;
  const foot = footOf(results, { noun: "projects", next, notes: options.notes });
  if (first === undefined) return ["No project has a matching session.", ...foot(0)].join("\n");
  const total = `${count(hits.length)} ${hits.length === 1 ? "project" : "projects"}, most matching sessions first.`;
  const entries = hits.map((hit, index) => projectEntry(hit, index + 1));
  return fit({ head: [total, ""], entries, foot }, options.breathe);
}

function projectEntry(hit: ProjectHit, ordinal: number): Entry {
  const sessions = `${count(hit.sessions)} matching ${hit.sessions === 1 ? "session" : "sessions"}`;
  const others = hit.directories.length - MAX_DIRECTORIES;
  const directories = [
    ...hit.directories.slice(0, MAX_DIRECTORIES).map(pathName),
    ...(others > 0 ? [`${count(others)} more`] : []),
  ];
  return {
    head: [
      `${ordinal}. project ${name(hit.projectId)} · ${sessions} · last activity ${localMinute(hit.updatedAt)} · in ${directories.join(", ")}`,
    ],
    items: [],
  };
}
