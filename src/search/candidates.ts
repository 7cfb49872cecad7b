/**
 * Candidates: for each term, the documents that can hold it, as the postings tell. A rare term is looked up at once;
 * a common one only when asked for, since a search of common words mostly ends before it needs them.
 */

import type { PostingsKey, SessionRange } from "../search-index/reader-postings.ts";
import { DocumentList } from "./document-list.ts";
import type { SearchRun } from "./search-run.ts";
import { postingsKeys, type Term } from "./term.ts";

export interface Candidates {
  /** Looks the rare terms up. */
  lookUpRare(): Promise<void>;
  /** Looks all terms up; of those that are nearly everywhere, only which sessions have them. */
  lookUpAll(): Promise<void>;
  /** Sessions outside this set do not hold the term; null while nothing is known. */
  sessions(term: Term): ReadonlySet<number> | null;
  /** The documents of the term that were looked up, or of each session the first one; null while nothing is known. */
  listed(term: Term): DocumentList | null;
  /** All documents that can hold a term that is not rare; null when they are not listed, or the term is rare. */
  listedCommon(term: Term): DocumentList | null;
  /**
   * Documents of the session outside this list do not hold the term; null when only the session's text can tell.
   * @param probe whether to ask the postings about this one session when nothing is known
   */
  documents(term: Term, sessionKey: number, probe: boolean): readonly number[] | null;
}

/** Up to here one trigram alone narrows enough; more of them make SQLite walk longer lists to drop a few documents. */
const FEW = 256;
/** Trigrams looked up together: more narrow little, and each makes SQLite walk another list. */
const TRIGRAMS = 3;
/** Of a phrase more: it may be rare although each of its words is everywhere. */
const PHRASE_TRIGRAMS = 9;
/** Ways into the postings whose counts are asked for: of a long phrase, those that should be the rarest. */
const COUNTED = 12;
/** A term in more documents is nearly everywhere: reading a session's text finds it soon. */
const LISTED = 10_000;
/** Documents of one session that are listed by a probe. */
const PROBED = 200;
/** Sessions looked up in one call: the lists of common trigrams are long, and a call is never interrupted. */
const SESSIONS_AT_A_TIME = 128;

interface LookUp {
  /** Ways into the postings, the rarest first; none where the postings cannot be used. */
  readonly keys: readonly PostingsKey[];
  readonly isRare: boolean;
  documents: DocumentList | null;
  /** Of a term that is nearly everywhere: the first document of each session that can hold it. */
  firsts: DocumentList | null;
}

export function createCandidates(run: SearchRun, terms: readonly Term[]): Candidates {
  const lookUps = new Map<string, LookUp>();

  const lookUpRare = async (): Promise<void> => {
    for (const { folded } of terms) {
      if (!lookUps.has(folded)) lookUps.set(folded, await lookUpIfRare(run, folded));
    }
  };
  const listed = ({ folded }: Term): DocumentList | null => {
    const lookUp = lookUps.get(folded);
    return lookUp?.documents ?? lookUp?.firsts ?? null;
  };

  return {
    lookUpRare,
    async lookUpAll() {
      await lookUpRare();
      for (const [folded, lookUp] of lookUps) {
        lookUp.documents ??= await (folded.includes(" ") ? listPhrase(run, folded) : listDocuments(run, lookUp.keys));
        if (lookUp.documents === null) lookUp.firsts ??= await listFirsts(run, lookUp.keys);
      }
    },
    sessions: (term) => listed(term)?.sessions ?? null,
    listed,
    listedCommon({ folded }) {
      const lookUp = lookUps.get(folded);
      return lookUp === undefined || lookUp.isRare ? null : lookUp.documents;
    },
    documents({ folded }, sessionKey, probe) {
      const lookUp = lookUps.get(folded);
      if (lookUp?.documents != null) return lookUp.documents.ofSession(sessionKey);
      const key = combine(lookUp?.keys ?? []);
      if (!probe || key?.kind !== "trigrams") return null;
      const found = run.reader.postings.documents(key, { from: sessionKey, to: sessionKey + 1 }, PROBED);
      return found.length < PROBED ? found : null;
    },
  };
}

async function lookUpIfRare(run: SearchRun, folded: string): Promise<LookUp> {
  const keys = run.hasPostings ? postingsKeys(folded).slice(0, COUNTED) : [];
  const limit = keys[0]?.kind === "prefix" ? run.limits.rareShort : run.limits.rare;
  const counted = await rank(run, keys, limit);
  const rarest = counted[0]?.count ?? limit;
  const ranked = counted.map(({ key }) => key);
  const key = combine(rarest <= FEW ? ranked.slice(0, 1) : ranked);
  if (rarest >= limit || key === null) return { keys: ranked, isRare: false, documents: null, firsts: null };
  const documents = new DocumentList(run.reader.postings.documents(key, null, limit));
  return { keys: ranked, isRare: true, documents, firsts: null };
}

interface CountedKey {
  readonly key: PostingsKey;
  readonly count: number;
}

/** Keys by the number of their postings up to a limit, fewest first. One with few ends the counting. */
async function rank(run: SearchRun, keys: readonly PostingsKey[], limit: number): Promise<readonly CountedKey[]> {
  const counted: CountedKey[] = [];
  for (const key of keys) {
    const count = run.reader.postings.count(key, limit);
    counted.push({ key, count });
    await run.pause();
    if (count <= FEW) break;
  }
  return counted.sort((one, other) => one.count - other.count);
}

/** The documents of a common term; null when they are too many to list. */
async function listDocuments(run: SearchRun, keys: readonly PostingsKey[]): Promise<DocumentList | null> {
  const key = combine(keys);
  // A prefix that is not rare is nearly everywhere, and cannot be looked up for some sessions at a time.
  if (key?.kind !== "trigrams" || run.reader.postings.count(key, LISTED + 1) > LISTED) return null;
  return new DocumentList(await inRanges(run, (range) => run.reader.postings.documents(key, range, -1)));
}

/** Documents that hold all words of a phrase are many; it is the trigrams between the words that tell them apart. */
async function listPhrase(run: SearchRun, folded: string): Promise<DocumentList | null> {
  const keys = run.hasPostings ? postingsKeys(folded) : [];
  const key = combine([...keys.filter(isBetweenWords), ...keys.filter((one) => !isBetweenWords(one))], PHRASE_TRIGRAMS);
  if (key?.kind !== "trigrams") return null;
  return new DocumentList(await inRanges(run, (range) => run.reader.postings.documents(key, range, -1)));
}

function isBetweenWords(key: PostingsKey): boolean {
  return key.kind === "trigrams" && key.trigrams.some((trigram) => trigram.includes(" "));
}

async function listFirsts(run: SearchRun, keys: readonly PostingsKey[]): Promise<DocumentList | null> {
  const key = combine(keys);
  if (key?.kind !== "trigrams") return null;
  return new DocumentList(await inRanges(run, (range) => run.reader.postings.firstDocuments(key, range)));
}

/** What a look-up gives for all sessions, some of them at a time. */
async function inRanges(run: SearchRun, lookUp: (range: SessionRange) => readonly number[]): Promise<number[]> {
  const ids: number[] = [];
  const last = run.reader.sessions.lastKey();
  for (let from = 0; from <= last; from += SESSIONS_AT_A_TIME) {
    for (const id of lookUp({ from, to: from + SESSIONS_AT_A_TIME })) ids.push(id);
    await run.pause();
  }
  return ids;
}

/** One look-up for the first trigrams, which must all occur. A prefix is looked up alone: a term has no other. */
function combine(keys: readonly PostingsKey[], count: number = TRIGRAMS): PostingsKey | null {
  const [first] = keys;
  if (first === undefined || first.kind === "prefix") return first ?? null;
  const trigrams = keys.slice(0, count).flatMap((key) => (key.kind === "trigrams" ? key.trigrams : []));
  return { kind: "trigrams", trigrams };
}
