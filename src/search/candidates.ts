/**
 * Candidates: for each term, the sessions and documents that can hold it, as the postings tell. A rare term is looked
 * up at once, down to its documents; the sessions of a common one only when they are asked for, since a search of
 * common words mostly ends before it needs them.
 */

import type { PostingsKey } from "../search-index/reader-postings.ts";
import { sessionKeyOf } from "../search-index/document-id.ts";
import type { SearchRun } from "./search-run.ts";
import { postingsKeys, type Term } from "./term.ts";

export interface Candidates {
  /** Looks the rare terms up. */
  lookUpRare(): Promise<void>;
  /** Looks all terms up. */
  lookUpAll(): Promise<void>;
  /** Sessions outside this set do not hold the term; null while nothing is known. */
  sessions(term: Term): ReadonlySet<number> | null;
  /**
   * Documents of the session outside this list do not hold the term; null when they are too many to list, or when
   * only reading the session's text can tell.
   * @param probe whether to ask the postings about this one session when nothing is known: a walk over the whole
   *   list of a common trigram, worth it in a session of thousands of documents
   */
  documents(term: Term, sessionKey: number, probe: boolean): readonly number[] | null;
}

/** Postings up to which a term is rare: all its documents are listed. */
const RARE = 2000;
/** Up to here one trigram alone narrows enough; more of them make SQLite walk longer lists to drop a few documents. */
const FEW = 256;
/** Trigrams looked up together for a term: more narrow little and each costs a walk. */
const TRIGRAMS = 3;
/** Trigrams of a long phrase whose rarity is asked for. */
const SAMPLED_TRIGRAMS = 12;
/** Documents of one session that are read one by one instead of the session's text in order. */
const LISTED_DOCUMENTS = 200;

interface LookUp {
  /** null when the postings cannot be used for the term. */
  readonly key: PostingsKey | null;
  readonly isRare: boolean;
  sessions: ReadonlySet<number> | null;
  documents: ReadonlyMap<number, readonly number[]> | null;
}

export function createCandidates(run: SearchRun, terms: readonly Term[]): Candidates {
  const lookUps = new Map<string, LookUp>();

  const lookUpRare = async (): Promise<void> => {
    for (const term of terms) {
      if (lookUps.has(term.folded)) continue;
      const lookUp = await chooseKey(run, term);
      lookUps.set(term.folded, lookUp);
      if (lookUp.key === null || !lookUp.isRare) continue;
      lookUp.documents = bySession(run.reader.postings.documents(lookUp.key, null, RARE));
      lookUp.sessions = new Set(lookUp.documents.keys());
      await run.pause();
    }
  };

  return {
    lookUpRare,
    async lookUpAll() {
      await lookUpRare();
      for (const lookUp of lookUps.values()) {
        if (lookUp.sessions === null && lookUp.key !== null) lookUp.sessions = await walkSessions(run, lookUp.key);
      }
    },
    sessions: (term) => lookUps.get(term.folded)?.sessions ?? null,
    documents(term, sessionKey, probe) {
      const lookUp = lookUps.get(term.folded);
      if (lookUp?.documents != null) return lookUp.documents.get(sessionKey) ?? [];
      if (!probe || lookUp?.key?.kind !== "trigrams") return null;
      const listed = run.reader.postings.documents(lookUp.key, sessionKey, LISTED_DOCUMENTS);
      return listed.length < LISTED_DOCUMENTS ? listed : null;
    },
  };
}

async function chooseKey(run: SearchRun, term: Term): Promise<LookUp> {
  const keys = run.hasPostings ? postingsKeys(term) : [];
  const step = Math.max(1, keys.length / SAMPLED_TRIGRAMS);
  const counted: { key: PostingsKey; count: number }[] = [];
  for (let index = 0; index < keys.length; index += step) {
    const key = keys[Math.floor(index)];
    if (key === undefined) break;
    counted.push({ key, count: run.reader.postings.count(key, RARE) });
    await run.pause();
  }
  counted.sort((one, other) => one.count - other.count);
  const rarest = counted[0];
  if (rarest === undefined) return { key: null, isRare: false, sessions: null, documents: null };
  const combined = counted.slice(0, rarest.count <= FEW ? 1 : TRIGRAMS).map(({ key }) => key);
  return { key: combine(combined), isRare: rarest.count < RARE, sessions: null, documents: null };
}

function combine(keys: readonly PostingsKey[]): PostingsKey | null {
  const [first] = keys;
  if (first === undefined || first.kind === "prefix") return first ?? null;
  return { kind: "trigrams", trigrams: keys.flatMap((key) => (key.kind === "trigrams" ? key.trigrams : [])) };
}

async function walkSessions(run: SearchRun, key: PostingsKey): Promise<ReadonlySet<number>> {
  const sessions = new Set<number>();
  for (const session of run.reader.postings.sessions(key)) {
    sessions.add(session);
    await run.breathe();
  }
  return sessions;
}

function bySession(documents: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const sessions = new Map<number, number[]>();
  for (const document of documents) {
    const key = sessionKeyOf(document);
    const listed = sessions.get(key);
    if (listed === undefined) sessions.set(key, [document]);
    else listed.push(document);
  }
  return sessions;
}
