/**
 * Listed phrases: whether sessions hold a phrase of common words, of which many documents can hold it and few do. The
 * texts of some sessions are read together, so that those without the phrase cost no call each.
 */

import { sessionKeyOf } from "../search-index/document-id.ts";
import { ALL_TIME, type MessageFilter } from "../search-index/reader-documents.ts";
import type { Candidates } from "./candidates.ts";
import type { DocumentList } from "./document-list.ts";
import type { Plan } from "./plan.ts";
import type { SearchRun } from "./search-run.ts";
import type { Term } from "./term.ts";
import type { Verdict } from "./verdict.ts";

export interface ListedPhrases {
  /** Looks phrases up in these sessions, in all of which every message counts that the filter of a word admits. */
  lookUp(sessionKeys: readonly number[]): Promise<void>;
  /** Whether a phrase, by its atom's position in the plan, is in the session; null when it was not looked up. */
  verdict(atomIndex: number, sessionKey: number): Verdict;
}

/** Documents of a session that are read before those of the others: few at first, since those mostly tell. */
const FIRST_ROUND = 4;
/** Documents read in one call. */
const BATCH = 32;

/** @param included which messages count for words that are not excluded */
export function createListedPhrases(
  run: SearchRun,
  plan: Plan,
  included: MessageFilter,
  candidates: Candidates,
): ListedPhrases {
  const known = new Map<number, ReadonlyMap<number, boolean>>();

  /** Those of the documents' sessions in which one of them holds the phrase. */
  const sessionsWith = async (ids: readonly number[], term: Term, filter: MessageFilter): Promise<Set<number>> => {
    const found = new Set<number>();
    for (let start = 0; start < ids.length; start += BATCH) {
      const some = ids.slice(start, start + BATCH).filter((id) => !found.has(sessionKeyOf(id)));
      for (const { id, text } of run.reader.documents.textsOf(some, filter)) {
        if (term.words.areIn(text)) found.add(sessionKeyOf(id));
      }
      await run.pause();
    }
    return found;
  };

  const lookUpOne = async (
    term: Term,
    listed: DocumentList,
    sessionKeys: readonly number[],
    filter: MessageFilter,
  ): Promise<ReadonlyMap<number, boolean>> => {
    const verdicts = new Map(sessionKeys.map((key) => [key, false]));
    let open = sessionKeys.map((key) => ({ key, ids: listed.ofSession(key) }));
    for (let start = 0, end = FIRST_ROUND; open.length > 0; start = end, end *= 2) {
      const ids = open.flatMap((session) => session.ids.slice(start, end));
      const found = await sessionsWith(ids, term, filter);
      for (const key of found) verdicts.set(key, true);
      open = open.filter((session) => !found.has(session.key) && session.ids.length > end);
    }
    return verdicts;
  };

  return {
    async lookUp(sessionKeys) {
      for (const [index, atom] of plan.atoms.entries()) {
        const listed = atom.kind === "term" ? candidates.listedCommon(atom.term) : null;
        if (atom.kind !== "term" || listed === null) continue;
        const filter = atom.excluded ? { role: null, ...ALL_TIME } : included;
        known.set(index, await lookUpOne(atom.term, listed, sessionKeys, filter));
      }
    },
    verdict: (atomIndex, sessionKey) => known.get(atomIndex)?.get(sessionKey) ?? null,
  };
}
