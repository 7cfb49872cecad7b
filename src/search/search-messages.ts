/** Search for messages: the sessions that match, each with the first place of each of the words. */

import type { FileSystem } from "./file-system.ts";
import { excerptAround } from "./excerpt.ts";
import type { Judgement } from "./judge.ts";
import type { Plan } from "./plan.ts";
import type { SearchRequest } from "./request.ts";
import type { MessageHit, TermMatch } from "./results.ts";
import type { SearchRun } from "./search-run.ts";
import { revertedMessages, sessionHit } from "./session-hit.ts";
import { type Found, prepareSearch } from "./session-search.ts";

export async function searchMessages(
  run: SearchRun,
  request: SearchRequest,
  files: FileSystem,
): Promise<Found<MessageHit>> {
  const { plan, scope, source } = await prepareSearch(run, request, files, { findPlaces: true, purpose: "sessions" });
  const hits: MessageHit[] = [];
  for await (const judgement of source.matching(false)) {
    if (hits.length === request.limit) return { hits, more: true, notes: scope.notes };
    hits.push({ ...sessionHit(run.reader, judgement.session), matches: matchesOf(run, plan, judgement) });
    await run.pause();
  }
  return { hits, more: false, notes: scope.notes };
}

/** One match for each word that the session holds, in the order of the query. */
function matchesOf(run: SearchRun, plan: Plan, { session, places }: Judgement): readonly TermMatch[] {
  const isReverted = revertedMessages(run.reader, session);
  return plan.atoms.flatMap((atom, index): TermMatch[] => {
    const document = places.get(index);
    if (document === undefined || (atom.kind !== "term" && atom.kind !== "title")) return [];
    const { text: term, words } = atom.term;
    if (document === null) {
      const excerpt = excerptAround(session.title, words, false);
      return [{ term, messageId: null, role: null, time: session.updatedAt, reverted: false, excerpt }];
    }
    const excerpt = excerptAround(document.text, words, document.chunk > 0);
    const { messageId, role, createdAt: time } = document;
    return [{ term, messageId, role, time, reverted: isReverted(document), excerpt }];
  });
}
