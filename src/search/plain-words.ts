/**
 * Plain words: words of ASCII letters that sessions are known to hold without their texts being read here. SQLite looks
 * for them in a few sessions at a time; what it does not find is not known to be missing.
 */

import { sessionKeyOf } from "../search-index/document-id.ts";
import { ALL_TIME, type MessageFilter } from "../search-index/reader-documents.ts";
import type { AskingTurn } from "./asking-turn.ts";
import type { Candidates } from "./candidates.ts";
import type { Plan } from "./plan.ts";
import type { SearchRun } from "./search-run.ts";
import type { Term } from "./term.ts";

export interface PlainWords {
  /**
   * Looks the words up in these sessions.
   * @param admitted those of them with a message that counts for words that are not excluded; none when only excluded
   *   words are to be looked up
   */
  lookUp(sessionKeys: readonly number[], admitted: readonly number[]): Promise<void>;
  /** Whether a word, by its atom's position in the plan, is known to be in the session. */
  holds(atomIndex: number, sessionKey: number): boolean;
}

/**
 * No mark composes with these into another character than they fold to, so finding them is enough. Longer words than
 * any in use are left out: SQLite refuses long patterns.
 */
const PLAIN = /^[a-z0-9_]{1,200}$/u;
/** Documents of a session, and sessions, that one call looks at: it must not take long where the word is missing. */
const DEPTH = 40;
const SESSIONS_AT_A_TIME = 16;

/** @param included which messages count for words that are not excluded */
export function createPlainWords(
  run: SearchRun,
  plan: Plan,
  included: MessageFilter,
  turn: AskingTurn,
  candidates: Candidates,
): PlainWords {
  const found = new Map<number, Set<number>>();

  const sessionsWith = async (term: Term, keys: readonly number[], filter: MessageFilter): Promise<Set<number>> => {
    const listed = candidates.listed(term);
    // Where the postings told where to look, one document of each session is looked at.
    if (listed !== null) {
      const firsts = keys.map((key) => listed.firstOfSession(key)).filter((id) => id !== null);
      return new Set(run.reader.documents.holding(firsts, term.folded, filter).map(sessionKeyOf));
    }
    const sessions = new Set<number>();
    for (let start = 0; start < keys.length; start += SESSIONS_AT_A_TIME) {
      const some = keys.slice(start, start + SESSIONS_AT_A_TIME);
      for (const key of run.reader.documents.saying(some, term.folded, filter, DEPTH)) sessions.add(key);
      await run.pause();
    }
    return sessions;
  };

  return {
    async lookUp(sessionKeys, admitted) {
      for (const [index, atom] of plan.atoms.entries()) {
        if (atom.kind !== "term" || !PLAIN.test(atom.term.folded)) continue;
        const filter = atom.excluded ? { role: null, ...ALL_TIME } : included;
        // In a session that asks, other messages count.
        const keys = (atom.excluded ? sessionKeys : admitted).filter((key) => turn.startIn(key) === ALL_TIME.to);
        found.set(index, await sessionsWith(atom.term, keys, filter));
        await run.pause();
      }
    },
    holds: (atomIndex, sessionKey) => found.get(atomIndex)?.has(sessionKey) === true,
  };
}
