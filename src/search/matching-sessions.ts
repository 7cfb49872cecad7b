/**
 * Matching sessions: the sessions that match, newest activity first, as many as the caller takes.
 *
 * With a rare word, the sessions that can hold it are judged. With common words only, sessions are judged as they come,
 * newest first, since the answer is mostly full after a few. When it is not, and much text was read, the common words
 * are looked up after all, and the rest is judged from what that leaves.
 */

import type { SessionRow, ActivityPlace } from "../search-index/reader-sessions.ts";
import type { Judge, Judgement, Witnesses } from "./judge.ts";
import type { SearchRun } from "./search-run.ts";
import type { SessionScope } from "./session-scope.ts";
import { boundSessions } from "./verdict.ts";

/** UTF-16 units of text read in vain before common words are looked up in the postings. */
const READ_BEFORE_LOOK_UP = 1_000_000;
const PAGE = 16;
const KEYS_AT_A_TIME = 500;

export interface SessionSource {
  /** A set that holds every session that can match, as far as rare words and paths tell; null when they do not. */
  bound(): Promise<ReadonlySet<number> | null>;
  /**
   * @param wantsAll whether the caller will take every session: common words are then looked up at once
   */
  matching(wantsAll: boolean): AsyncGenerator<Judgement, void, void>;
}

/**
 * @param usesPlainWords not where words are looked for in the texts anyway, to be shown
 */
export function createSessionSource(
  { run, plan, facts, candidates, plainWords, termSearch }: Witnesses,
  judge: Judge,
  scope: SessionScope,
  usesPlainWords: boolean,
): SessionSource {
  const bound = (): ReadonlySet<number> | null => {
    if (plan.root === null) return null;
    return boundSessions(plan.root, (index) => {
      const atom = plan.atoms[index];
      if (atom?.kind === "term") return candidates.sessions(atom.term);
      return facts.sessions(index);
    });
  };

  async function* among(keys: ReadonlySet<number>, after: ActivityPlace | null): AsyncGenerator<Judgement, void, void> {
    const sorted = await loadSorted(run, keys, scope);
    const rest = after === null ? sorted : sorted.filter((session) => compareActivity(session, after) > 0);
    for (let start = 0; start < rest.length; start += PAGE) {
      const page = rest.slice(start, start + PAGE);
      if (usesPlainWords) await plainWords.lookUp(page);
      for (const session of page) {
        const judgement = await judge.judge(session);
        if (judgement !== null) yield judgement;
        await run.pause();
      }
    }
  }

  return {
    async bound() {
      await candidates.lookUpRare();
      return bound();
    },
    async *matching(wantsAll) {
      await (wantsAll ? candidates.lookUpAll() : candidates.lookUpRare());
      const first = bound();
      if (first !== null) return yield* among(first, null);
      let isLookedUp = wantsAll;
      let place: ActivityPlace | null = null;
      for (;;) {
        const page: readonly SessionRow[] = run.reader.sessions.byActivity(place, scope.projectId, PAGE);
        const inScope = page.filter((session) => scope.includes(session));
        if (usesPlainWords) await plainWords.lookUp(inScope);
        for (const session of inScope) {
          const judgement = await judge.judge(session);
          if (judgement !== null) yield judgement;
          await run.pause();
          if (isLookedUp || termSearch.textRead < READ_BEFORE_LOOK_UP) continue;
          isLookedUp = true;
          await candidates.lookUpAll();
          const rest = bound();
          if (rest !== null) return yield* among(rest, session);
        }
        place = page.at(-1) ?? null;
        if (page.length < PAGE) return;
      }
    },
  };
}

/** The sessions of those keys that are in scope, newest activity first. */
async function loadSorted(
  run: SearchRun,
  keys: ReadonlySet<number>,
  scope: SessionScope,
): Promise<readonly SessionRow[]> {
  const all = [...keys];
  const sessions: SessionRow[] = [];
  for (let start = 0; start < all.length; start += KEYS_AT_A_TIME) {
    const rows = run.reader.sessions.byKeys(all.slice(start, start + KEYS_AT_A_TIME));
    sessions.push(...rows.filter((session) => scope.includes(session)));
    await run.pause();
  }
  return sessions.sort(compareActivity);
}

/** The order of `byActivity`: negative when `one` comes first. */
function compareActivity(one: ActivityPlace, other: ActivityPlace): number {
  return other.updatedAt - one.updatedAt || one.key - other.key;
}
