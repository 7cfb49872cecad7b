/** Session search: the part that all searches share, from a request to the sessions that match it. */

import { ALL_TIME } from "../search-index/reader-documents.ts";
import { type AskingTurn, findAskingTurn } from "./asking-turn.ts";
import { createCandidates } from "./candidates.ts";
import type { FileSystem } from "./file-system.ts";
import { createJudge, type Judge } from "./judge.ts";
import { createSessionSource, type SessionSource } from "./matching-sessions.ts";
import { createListedPhrases } from "./listed-phrases.ts";
import { createPlainWords } from "./plain-words.ts";
import { createPlan, type Plan } from "./plan.ts";
import type { SearchRequest } from "./request.ts";
import type { Results } from "./results.ts";
import type { SearchRun } from "./search-run.ts";
import { gatherFacts, type SessionFacts } from "./session-facts.ts";
import { resolveScope, type SessionScope } from "./session-scope.ts";
import { createTermSearch } from "./term-search.ts";

export interface SessionSearch {
  readonly plan: Plan;
  readonly scope: SessionScope;
  readonly turn: AskingTurn;
  readonly facts: SessionFacts;
  readonly judge: Judge;
  readonly source: SessionSource;
}

/** What a use case finds; the notes of the query and the state of the index are added to it. */
export type Found<Hit> = Omit<Results<Hit>, "coverage">;

export interface SessionSearchOptions {
  /** Words that a session holds are looked for in its messages even when the verdict is known without. */
  readonly findPlaces: boolean;
  /** In a search for edits, `date` limits the edits and `role` the words, and no message is needed besides. */
  readonly purpose: "sessions" | "edits";
}

export async function prepareSearch(
  run: SearchRun,
  request: SearchRequest,
  files: FileSystem,
  options: SessionSearchOptions,
): Promise<SessionSearch> {
  const plan = createPlan(request.query.root);
  const turn = findAskingTurn(run.reader, request.asker);
  const scope = await resolveScope(run, request.query.project, request.asker, files);
  const ofEdits = options.purpose === "edits";
  const facts = await gatherFacts(run, plan, turn, (ofEdits ? request.date : null) ?? ALL_TIME, files);
  const terms = plan.atoms.flatMap((atom) => (atom.kind === "term" ? [atom.term] : []));
  const candidates = createCandidates(run, terms);
  const termSearch = createTermSearch(run, candidates);
  const included = { role: request.role, ...((ofEdits ? null : request.date) ?? ALL_TIME) };
  const plainWords = createPlainWords(run, plan, included, turn, candidates);
  const listedPhrases = createListedPhrases(run, plan, included, candidates);
  const witnesses = { run, plan, turn, facts, candidates, plainWords, listedPhrases, termSearch };
  const judge = createJudge(witnesses, {
    role: request.role,
    date: ofEdits ? null : request.date,
    findPlaces: options.findPlaces,
    needsMessage: !ofEdits,
  });
  const source = createSessionSource(witnesses, judge, scope);
  return { plan, scope, turn, facts, judge, source };
}
