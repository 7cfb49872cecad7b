/**
 * Session listing: every session of every project from OpenCode 1.18.
 *
 * `GET /experimental/session` lists all projects, newest activity first, and pages by `time.updated`: the next page
 * holds what is strictly older, so sessions that share the instant of a page's end would be lost (seen: 6 of 13 with
 * equal times). Therefore each page is asked to begin one millisecond later than the host proposes, and what was seen
 * is left out. One page for everything would do too, but 20,000 sessions then block the host for about a second;
 * in pages of 1,000 the longest block was 97 ms (2 cores), and the whole listing took half the time.
 */

import type { Logger } from "../../runtime/logger.ts";
import type { Session } from "../../session/session.ts";
import { HostError } from "../host.ts";
import { repeatedCursor } from "../paginate.ts";
import { normaliseSession } from "./normalise.ts";
import type { RawAnswer, RawClient } from "./raw-client.ts";

const PAGE_SIZE = 1000;

/** For the listing of one project, which has no pages. Accepted by the host, and larger than any history seen. */
const EVERYTHING = 100_000;

/**
 * Yields pages of sessions, children and archived ones included, each session once. When the host refuses the listing
 * of all projects, those of the current project are listed, and the log says so.
 * @param pageSize sessions a page
 */
export async function* listSessions(
  client: RawClient,
  log: Logger,
  signal: AbortSignal,
  pageSize: number = PAGE_SIZE,
): AsyncGenerator<readonly Session[], void, undefined> {
  const seen = new Set<string>();
  const unseen = (page: readonly Session[]) => {
    const fresh = page.filter((session) => !seen.has(session.id));
    for (const session of fresh) seen.add(session.id);
    return fresh;
  };
  let pages = 0;
  for await (const page of walk(client, log, signal, pageSize)) {
    pages += 1;
    yield unseen(page);
  }
  if (pages < 2) return;
  // A session that became active meanwhile left its page for the top, behind our back.
  for await (const page of walk(client, log, signal, pageSize)) {
    const fresh = unseen(page);
    if (fresh.length === 0) return;
    yield fresh;
  }
}

/** Pages from the newest session to the oldest; neighbours overlap. */
async function* walk(
  client: RawClient,
  log: Logger,
  signal: AbortSignal,
  pageSize: number,
): AsyncGenerator<readonly Session[], void, undefined> {
  let size = pageSize;
  let cursor: number | null = null;
  for (;;) {
    const answer = await fetchPage(client, log, signal, size, cursor);
    const list = answer.data;
    if (!Array.isArray(list)) throw new HostError("bad-response", "OpenCode's listing of sessions is not a list.");
    yield sessionsOf(list, log);
    const next = answer.header("x-next-cursor");
    if (next === null) return;
    const begin = Number(next) + 1;
    if (!Number.isFinite(begin)) {
      throw new HostError("bad-response", `OpenCode's listing of sessions goes on at ${JSON.stringify(next)}.`);
    }
    if (cursor !== null && begin >= cursor) {
      if (list.length < size) throw repeatedCursor("the listing of sessions", next);
      // More sessions share one instant than fit a page.
      size *= 2;
    }
    cursor = begin;
  }
}

/** One session without an id must not cost the listing its others: it is left out, and said. */
function sessionsOf(list: readonly unknown[], log: Logger): readonly Session[] {
  const sessions = list.map(normaliseSession).filter((session) => session !== null);
  const dropped = list.length - sessions.length;
  if (dropped > 0) log.warn("sessions without an id left out", { dropped });
  return sessions;
}

async function fetchPage(
  client: RawClient,
  log: Logger,
  signal: AbortSignal,
  limit: number,
  cursor: number | null,
): Promise<RawAnswer> {
  // Without the empty directory the client names its own, and only sessions of exactly that one come back.
  const query = { limit, archived: true, directory: "", ...(cursor === null ? {} : { cursor }) };
  try {
    const answer = await client.get({ url: "/experimental/session", query }, signal);
    if (answer !== null) return answer;
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "rejected") throw error;
  }
  log.warn("OpenCode does not list the sessions of all projects, only those of this one");
  const here = await client.get({ url: "/session", query: { limit: EVERYTHING } }, signal);
  if (here === null) throw new HostError("unavailable", "OpenCode does not list sessions.");
  return here;
}
