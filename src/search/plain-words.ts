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
   * @param admitted those of them with a message that counts for words that are not excluded
   */
  lookUp(sessionKeys: readonly number[], admitted: readonly number[]): Promise<void>;
  /** Whether a word, by its atom's position in the plan, is known to be in the session. */
  holds(atomIndex: number, sessionKey: number): boolean;
  /** Sessions looked at so far, as a measure of work; once for each word. */
  readonly sessionsRead: number;
}

/** No mark composes with these into another character than they fold to, so finding them is enough. */
const PLAIN = /^[a-z0-9_]+$/u;
/** Documents of a session that are looked at: one call must not take long in a large one. */
const DEPTH = 100;

/** @param included which messages count for words that are not excluded */
export function createPlainWords(
  run: SearchRun,
  plan: Plan,
  included: MessageFilter,
  turn: AskingTurn,
  candidates: Candidates,
): PlainWords {
  const found = new Map<number, Set<number>>();
  let sessionsRead = 0;

  /** Where the postings told where to look, one document of each session is looked at. */
  const sessionsWith = (term: Term, keys: readonly number[], filter: MessageFilter): readonly number[] => {
    const listed = candidates.listed(term);
    if (listed === null) return run.reader.documents.saying(keys, term.folded, filter, DEPTH);
    const firsts = keys.map((key) => listed.firstOfSession(key)).filter((id) => id !== null);
    return run.reader.documents.holding(firsts, term.folded, filter).map(sessionKeyOf);
  };

  return {
    async lookUp(sessionKeys, admitted) {
      for (const [index, atom] of plan.atoms.entries()) {
        if (atom.kind !== "term" || !PLAIN.test(atom.term.folded)) continue;
        const filter = atom.excluded ? { role: null, ...ALL_TIME } : included;
        // In a session that asks, other messages count.
        const keys = (atom.excluded ? sessionKeys : admitted).filter((key) => turn.startIn(key) === ALL_TIME.to);
        found.set(index, new Set(sessionsWith(atom.term, keys, filter)));
        sessionsRead += keys.length;
        await run.pause();
      }
    },
    holds: (atomIndex, sessionKey) => found.get(atomIndex)?.has(sessionKey) === true,
    get sessionsRead() {
      return sessionsRead;
    },
  };
}
