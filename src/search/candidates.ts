/**
 * Candidates: for each term, the documents that can hold it, as the postings tell. A rare term is looked up at once;
 * a common one only when asked for, since a search of common words mostly ends before it needs them.
 */

import type { PostingsKey } from "../search-index/reader-postings.ts";
import { DocumentList } from "./document-list.ts";
import type { SearchRun } from "./search-run.ts";
import { postingsKeys, type Term } from "./term.ts";

export interface Candidates {
  /** Looks the rare terms up. */
  lookUpRare(): Promise<void>;
  /** Looks all terms up, but for those that are nearly everywhere. */
  lookUpAll(): Promise<void>;
  /** Sessions outside this set do not hold the term; null while nothing is known. */
  sessions(term: Term): ReadonlySet<number> | null;
  /**
   * Documents of the session outside this list do not hold the term; null when only the session's text can tell.
   * @param probe whether to ask the postings about this one session when nothing is known: a walk over the whole
   *   list of a common trigram, worth it in a session of thousands of documents
   */
  documents(term: Term, sessionKey: number, probe: boolean): readonly number[] | null;
}

/** Documents up to which a term is rare: they are listed before anything else is tried. */
const RARE = 2000;
/** Up to here one trigram alone narrows enough; more of them make SQLite walk longer lists to drop a few documents. */
const FEW = 256;
/** Trigrams looked up together: more narrow little, and each makes SQLite walk a list without a pause. */
const TRIGRAMS = 3;
/** Of a phrase more: it may be rare although each of its words is everywhere. */
const PHRASE_TRIGRAMS = 9;
/** Ways into the postings whose counts are asked for: of a long phrase, those that should be the rarest. */
const COUNTED = 12;
/** Postings up to which those of a common term are told apart. */
const COMMON = 16_000;
/** A term in more documents is nearly everywhere: reading a session's text finds it soon. */
const LISTED = 10_000;
/** Documents of one session that are listed by a probe. */
const PROBED = 200;

interface LookUp {
  /** Ways into the postings, the rarest first; none where the postings cannot be used. */
  readonly keys: readonly PostingsKey[];
  documents: DocumentList | null;
}

export function createCandidates(run: SearchRun, terms: readonly Term[]): Candidates {
  const lookUps = new Map<string, LookUp>();

  const lookUpRare = async (): Promise<void> => {
    for (const { folded } of terms) {
      if (!lookUps.has(folded)) lookUps.set(folded, await lookUpIfRare(run, folded));
    }
  };

  return {
    lookUpRare,
    async lookUpAll() {
      await lookUpRare();
      for (const [folded, lookUp] of lookUps) {
        lookUp.documents ??= await listDocuments(run, lookUp.keys, folded.includes(" "));
      }
    },
    sessions: ({ folded }) => lookUps.get(folded)?.documents?.sessions ?? null,
    documents({ folded }, sessionKey, probe) {
      const lookUp = lookUps.get(folded);
      if (lookUp?.documents != null) return lookUp.documents.ofSession(sessionKey);
      const key = combine(lookUp?.keys ?? []);
      if (!probe || key?.kind !== "trigrams") return null;
      const listed = run.reader.postings.documents(key, sessionKey, PROBED);
      return listed.length < PROBED ? listed : null;
    },
  };
}

async function lookUpIfRare(run: SearchRun, folded: string): Promise<LookUp> {
  const keys = run.hasPostings ? postingsKeys(folded).slice(0, COUNTED) : [];
  const counted = await rank(run, keys, RARE, FEW);
  const rarest = counted[0]?.count ?? RARE;
  const ranked = counted.map(({ key }) => key);
  const key = combine(rarest <= FEW ? ranked.slice(0, 1) : ranked);
  if (rarest >= RARE || key === null) return { keys: ranked, documents: null };
  return { keys: ranked, documents: new DocumentList(run.reader.postings.documents(key, null, RARE)) };
}

interface CountedKey {
  readonly key: PostingsKey;
  readonly count: number;
}

/**
 * Keys by the number of their postings, fewest first.
 * @param limit up to which postings are counted
 * @param enough a key with no more postings ends the counting
 */
async function rank(
  run: SearchRun,
  keys: readonly PostingsKey[],
  limit: number,
  enough: number,
): Promise<readonly CountedKey[]> {
  const counted: CountedKey[] = [];
  for (const key of keys) {
    const count = run.reader.postings.count(key, limit);
    counted.push({ key, count });
    await run.pause();
    if (count <= enough) break;
  }
  return counted.sort((one, other) => one.count - other.count);
}

/** The documents of a common term; null when they are too many to list. */
async function listDocuments(
  run: SearchRun,
  keys: readonly PostingsKey[],
  isPhrase: boolean,
): Promise<DocumentList | null> {
  const ranked = isPhrase ? (await rank(run, keys, COMMON, 0)).map(({ key }) => key) : keys;
  const key = combine(ranked, isPhrase ? PHRASE_TRIGRAMS : TRIGRAMS);
  if (key === null || (!isPhrase && run.reader.postings.count(key, LISTED + 1) > LISTED)) return null;
  const listed: number[] = [];
  for (const id of run.reader.postings.walk(key)) {
    listed.push(id);
    await run.breathe();
  }
  return new DocumentList(listed);
}

/** One look-up for the first trigrams, which must all occur. A prefix is looked up alone: a term has no other. */
function combine(keys: readonly PostingsKey[], count: number = TRIGRAMS): PostingsKey | null {
  const [first] = keys;
  if (first === undefined || first.kind === "prefix") return first ?? null;
  const trigrams = keys.slice(0, count).flatMap((key) => (key.kind === "trigrams" ? key.trigrams : []));
  return { kind: "trigrams", trigrams };
}
