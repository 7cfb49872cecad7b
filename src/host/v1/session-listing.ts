/**
 * Session listing: every session of every project from OpenCode 1.18.
 *
 * `GET /experimental/session` lists all projects, newest activity first, and pages by `time.updated`: the next page
 * holds what is strictly older, so sessions that share the instant of a page's end would be lost (seen: 6 of 13 with
 * equal times). One page big enough for everything avoids it, and is also one moment in time; should there be more,
 * the next page is asked to begin one millisecond later, and what was seen is left out.
 */

import type { Logger } from "../../runtime/logger.ts";
import type { Session } from "../../session/session.ts";
import { HostError } from "../host.ts";
import { repeatedCursor } from "../paginate.ts";
import { normaliseSession } from "./normalise.ts";
import type { RawAnswer, RawClient, RawRequest } from "./raw-client.ts";

/** Accepted by the host; larger than any history seen. */
const EVERYTHING = 100_000;

/**
 * Yields pages of sessions, children and archived ones included. When the host refuses the listing of all projects,
 * those of the current project are listed, and the log says so.
 * @param limit sessions a page
 */
export async function* listSessions(
  client: RawClient,
  log: Logger,
  signal: AbortSignal,
  limit: number = EVERYTHING,
): AsyncGenerator<readonly Session[], void, undefined> {
  const seen = new Set<string>();
  let cursor: number | null = null;
  let size = limit;
  for (;;) {
    const answer = await fetchPage(client, log, signal, size, cursor);
    const list = answer.data;
    if (!Array.isArray(list)) throw new HostError("bad-response", "OpenCode's listing of sessions is not a list.");
    const sessions = list.map(normaliseSession).filter((session) => session !== null);
    if (sessions.length < list.length) {
      log.warn("sessions without an id left out", { dropped: list.length - sessions.length });
    }
    const fresh = sessions.filter((session) => !seen.has(session.id));
    for (const session of fresh) seen.add(session.id);
    yield fresh;
    const oldest = sessions.at(-1);
    if (answer.header("x-next-cursor") === null || oldest === undefined) return;
    if (fresh.length === 0) {
      if (list.length < size) throw repeatedCursor("the listing of sessions", String(cursor));
      // More sessions share one instant than fit a page.
      size *= 2;
    }
    cursor = oldest.updatedAt + 1;
  }
}

async function fetchPage(
  client: RawClient,
  log: Logger,
  signal: AbortSignal,
  limit: number,
  cursor: number | null,
): Promise<RawAnswer> {
  const everywhere: RawRequest = {
    url: "/experimental/session",
    // Without this the client names its own directory, and only sessions of exactly that one come back.
    query: { limit, archived: true, directory: "", ...(cursor === null ? {} : { cursor }) },
  };
  try {
    const answer = await client.get(everywhere, signal);
    if (answer !== null) return answer;
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "rejected" || cursor !== null) throw error;
  }
  log.warn("OpenCode does not list the sessions of all projects, only those of this one");
  const here = await client.get({ url: "/session", query: { limit } }, signal);
  if (here === null) throw new HostError("unavailable", "OpenCode does not list sessions.");
  return here;
}
