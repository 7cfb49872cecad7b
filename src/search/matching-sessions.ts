/**
 * Matching sessions: the sessions that match, newest activity first, as many as the caller takes.
 *
 * With a rare word, the sessions that can hold it are judged. With common words only, sessions are judged as they come,
 * newest first, since the answer is mostly full after a few. When it is not, and much text was read, the common words
 * are looked up after all, and the rest is judged from what that leaves.
 */

import type { ActivityPlace, SessionRow } from "../search-index/reader-sessions.ts";
import type { Judge, Judgement, Witnesses } from "./judge.ts";
import type { SessionScope } from "./session-scope.ts";
import { boundSessions } from "./verdict.ts";

/** Sessions judged together: few while each may have to be read, more when the postings told which can match. */
const PAGE = 16;
const LISTED_PAGE = 64;
/** Up to so many sessions are sorted in one call; of more, it is quicker to meet them in order of activity. */
const SORTED = 2000;

export interface SessionSource {
  /** A set that holds every session that can match, as far as rare words and paths tell; null when they do not. */
  bound(): Promise<ReadonlySet<number> | null>;
  /**
   * @param wantsAll whether the caller will take every session: common words are then looked up at once
   */
  matching(wantsAll: boolean): AsyncGenerator<Judgement, void, void>;
}

interface Page {
  /** Those that are in scope and can match. */
  readonly sessions: readonly SessionRow[];
  /** Where the next page begins. */
  readonly end: ActivityPlace;
}

export function createSessionSource(
  { run, plan, facts, candidates, termSearch }: Witnesses,
  judge: Judge,
  scope: SessionScope,
): SessionSource {
  const bound = (): ReadonlySet<number> | null => {
    if (plan.root === null) return null;
    return boundSessions(plan.root, (index) => {
      const atom = plan.atoms[index];
      if (atom?.kind === "term") return candidates.sessions(atom.term);
      return facts.sessions(index);
    });
  };

  function* pagesOf(keys: ReadonlySet<number>, after: ActivityPlace | null): Generator<Page, void, void> {
    const sorted = run.reader.sessions.sorted([...keys]);
    for (let start = 0; start < sorted.length; start += LISTED_PAGE) {
      const rows = run.reader.sessions.byKeys(sorted.slice(start, start + LISTED_PAGE)).toSorted(compareActivity);
      const end = rows.at(-1);
      if (end === undefined) continue;
      const isAfter = (session: SessionRow): boolean => after === null || compareActivity(session, after) > 0;
      yield { sessions: rows.filter((session) => isAfter(session) && scope.includes(session)), end };
    }
  }

  function* pagesOfAll(keys: ReadonlySet<number> | null, after: ActivityPlace | null): Generator<Page, void, void> {
    const size = keys === null ? PAGE : LISTED_PAGE;
    const canMatch = (session: SessionRow): boolean => keys?.has(session.key) !== false && scope.includes(session);
    for (let place = after; ;) {
      const rows = run.reader.sessions.byActivity(place, scope.projectId, size);
      const end = rows.at(-1);
      if (end === undefined) return;
      yield { sessions: rows.filter(canMatch), end };
      if (rows.length < size) return;
      place = end;
    }
  }

  const pagesFrom = (after: ActivityPlace | null): Generator<Page, void, void> => {
    const keys = bound();
    return keys !== null && keys.size <= SORTED ? pagesOf(keys, after) : pagesOfAll(keys, after);
  };

  return {
    async bound() {
      await candidates.lookUpRare();
      return bound();
    },
    async *matching(wantsAll) {
      await (wantsAll ? candidates.lookUpAll() : candidates.lookUpRare());
      let isLookedUp = wantsAll || bound() !== null;
      let pages = pagesFrom(null);
      for (let next = pages.next(); next.done !== true; next = pages.next()) {
        const { sessions, end } = next.value;
        await judge.prepare(sessions);
        for (const session of sessions) {
          const judgement = await judge.judge(session);
          if (judgement !== null) yield judgement;
          await run.pause();
        }
        await run.pause();
        if (isLookedUp || termSearch.textRead < run.limits.readBeforeLookUp) continue;
        isLookedUp = true;
        await candidates.lookUpAll();
        pages = pagesFrom(end);
      }
    },
  };
}

/** The order of `byActivity`: negative when `one` comes first. */
function compareActivity(one: ActivityPlace, other: ActivityPlace): number {
  return other.updatedAt - one.updatedAt || one.key - other.key;
}
