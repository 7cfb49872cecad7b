/** Judge: decides whether a session matches, reading as little of it as its verdict needs. */

import { fold } from "../session/fold.ts";
import { ALL_TIME, type DocumentRow, type MessageFilter } from "../search-index/reader-documents.ts";
import type { SessionRow } from "../search-index/reader-sessions.ts";
import type { AskingTurn } from "./asking-turn.ts";
import type { Candidates } from "./candidates.ts";
import type { ListedPhrases } from "./listed-phrases.ts";
import type { Atom, Plan } from "./plan.ts";
import type { PlainWords } from "./plain-words.ts";
import type { SearchRequest } from "./request.ts";
import type { SearchRun } from "./search-run.ts";
import type { SessionFacts } from "./session-facts.ts";
import type { TermSearch, Wanted } from "./term-search.ts";
import { matchVerdict, type Verdict, wordVerdict } from "./verdict.ts";

/** A session that matches. */
export interface Judgement {
  readonly session: SessionRow;
  /** Where each word first stands, by its atom's position in the plan; null when only the title has it. */
  readonly places: ReadonlyMap<number, DocumentRow | null>;
  /** What became known of each atom. */
  readonly known: readonly Verdict[];
}

export interface Judge {
  /** To be awaited before these sessions are judged: looks up in one call each what is asked of all of them. */
  prepare(sessions: readonly SessionRow[]): Promise<void>;
  /** null when the session does not match. */
  judge(session: SessionRow): Promise<Judgement | null>;
}

export interface JudgeOptions extends Pick<SearchRequest, "role" | "date"> {
  /** Words that the session holds are looked for in its messages even when the verdict is known without. */
  readonly findPlaces: boolean;
  /** Under a role or date, whether a session that matches by no word needs a message of that role and date. */
  readonly needsMessage: boolean;
}

/** What a judge asks. */
export interface Witnesses {
  readonly run: SearchRun;
  readonly plan: Plan;
  readonly turn: AskingTurn;
  readonly facts: SessionFacts;
  readonly candidates: Candidates;
  readonly plainWords: PlainWords;
  readonly listedPhrases: ListedPhrases;
  readonly termSearch: TermSearch;
}

export function createJudge(
  { run, plan, turn, facts, candidates, plainWords, listedPhrases, termSearch }: Witnesses,
  { role, date, findPlaces, needsMessage }: JudgeOptions,
): Judge {
  const range = date ?? ALL_TIME;
  const isFiltered = role !== null || date !== null;
  /** Of the sessions that were prepared, those with a message of that role and date. */
  let withMessage: ReadonlySet<number> = new Set();

  /** Messages that a word must be in, and messages that an exclusion looks at. */
  const filters = (session: SessionRow): { included: MessageFilter; excluded: MessageFilter } => {
    const start = turn.startIn(session.key);
    return {
      included: { role, from: range.from, to: Math.min(range.to, start) },
      excluded: { role: null, from: ALL_TIME.from, to: start },
    };
  };

  const knownAtoms = (session: SessionRow, hasMessage: boolean): Verdict[] => {
    const title = fold(session.title);
    const isTitleInRange = session.updatedAt >= range.from && session.updatedAt < range.to;
    return plan.atoms.map((atom, index): Verdict => {
      if (atom.kind !== "term" && atom.kind !== "title") return facts.holds(index, session);
      if ((atom.excluded || isTitleInRange) && title.includes(atom.term.folded)) return true;
      if (atom.kind === "title" || (!atom.excluded && !hasMessage)) return false;
      if (candidates.sessions(atom.term)?.has(session.key) === false) return false;
      return plainWords.holds(index, session.key) ? true : listedPhrases.verdict(index, session.key);
    });
  };

  return {
    async prepare(sessions) {
      const keys = sessions.map(({ key }) => key);
      withMessage = isFiltered ? new Set(run.reader.documents.having(keys, { role, ...range })) : new Set(keys);
      // Where words are to be shown, their texts are read anyway.
      await plainWords.lookUp(keys, findPlaces ? [] : [...withMessage]);
      // In a session that asks, other messages count.
      await listedPhrases.lookUp(keys.filter((key) => turn.startIn(key) === ALL_TIME.to));
    },
    async judge(session) {
      if (turn.isWholeSession(session.key)) return null;
      const { included, excluded } = filters(session);
      // In a session that asks, fewer messages count than those that were looked for.
      const hasMessage =
        !isFiltered ||
        (withMessage.has(session.key) && (included.to === range.to || run.reader.documents.has(session.key, included)));
      const known = knownAtoms(session, hasMessage);
      const verdict = (): Verdict =>
        hasMessage || !needsMessage ? matchVerdict(plan, known) : wordVerdict(plan, known);
      if (verdict() === false) return null;

      // A word of the title counts; a message that has it, when there is one, tells more.
      const places = new Map<number, DocumentRow | null>();
      for (const [index, atom] of plan.atoms.entries()) {
        if (known[index] === true && isWord(atom)) places.set(index, null);
      }
      const wanted = plan.atoms.flatMap((atom, index): Wanted[] => {
        if (atom.kind !== "term") return [];
        const isPlaceWanted = findPlaces && hasMessage && !atom.excluded && known[index] === true;
        if (known[index] !== null && !isPlaceWanted) return [];
        const found = (document: DocumentRow | null): void => {
          known[index] ||= document !== null;
          if (document !== null && !atom.excluded) places.set(index, document);
        };
        return [
          {
            term: atom.term,
            filter: atom.excluded ? excluded : included,
            anywhere: atom.excluded || !findPlaces,
            found,
          },
        ];
      });
      const isEnough = (): boolean => verdict() === false || (verdict() === true && !findPlaces);
      if (wanted.length > 0 && !isEnough()) await termSearch.search(session.key, wanted, isEnough);
      if (verdict() !== true) return null;
      return { session, places, known };
    },
  };
}

/** Whether finding it means finding something to show. */
function isWord(atom: Atom): boolean {
  return !atom.excluded && (atom.kind === "term" || atom.kind === "title");
}
