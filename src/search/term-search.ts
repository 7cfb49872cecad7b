/**
 * Term search: finds where terms first stand in one session, in the order things were said. Every find is verified on
 * the text.
 */

import {
  ALL_TIME,
  type DocumentPlace,
  type DocumentRow,
  type MessageFilter,
} from "../search-index/reader-documents.ts";
import type { Candidates } from "./candidates.ts";
import type { SearchRun } from "./search-run.ts";
import type { Term } from "./term.ts";

/** A term looked for in one session. */
export interface Wanted {
  readonly term: Term;
  /** Which messages count for it. */
  readonly filter: MessageFilter;
  /** Whether any document with the term will do; otherwise the first one is wanted. */
  readonly anywhere: boolean;
  /** Told once: the first document with the term, or null when there is none. */
  readonly found: (document: DocumentRow | null) => void;
}

export interface TermSearch {
  /**
   * Looks for the terms until each is found or known to be missing, or until `isEnough`.
   * @param isEnough asked after each find
   */
  search(sessionKey: number, wanted: readonly Wanted[], isEnough: () => boolean): Promise<void>;
  /** UTF-16 units of text read so far, as a measure of work. */
  readonly textRead: number;
}

/** Documents read at a time: few at first, since common words stand near the start. */
const FIRST_BATCH = 8;
const LARGEST_BATCH = 64;
const LISTED_BATCH = 16;

export function createTermSearch(run: SearchRun, candidates: Candidates): TermSearch {
  let textRead = 0;

  const isHit = ({ term, filter }: Wanted, document: DocumentRow): boolean => {
    if (!admits(filter, document)) return false;
    textRead += document.text.length;
    return term.words.areIn(document.text);
  };

  /** The first document in the given order that counts and holds the term. */
  const firstOf = async (ids: readonly number[], one: Wanted): Promise<DocumentRow | null> => {
    for (let start = 0; start < ids.length; start += LISTED_BATCH) {
      const documents = inOrder(run.reader.documents.byIds(ids.slice(start, start + LISTED_BATCH)));
      const document = documents.find((candidate) => isHit(one, candidate));
      if (document !== undefined) return document;
      await run.pause();
    }
    return null;
  };

  /** Reads only the documents that can hold the term. False when they are not known. */
  const searchListed = async (sessionKey: number, one: Wanted, mayProbe: boolean): Promise<boolean> => {
    const ids = candidates.documents(one.term, sessionKey, mayProbe);
    if (ids === null) return false;
    let document = await firstOf(ids, one);
    if (document !== null && !one.anywhere && ids.length > LISTED_BATCH) {
      // Ids follow the order in which documents were stored: one that was said earlier may come later.
      const earlier = inOrder(run.reader.documents.placesOf(ids)).map(({ id }) => id);
      document = (await firstOf(earlier.slice(0, earlier.indexOf(document.id)), one)) ?? document;
    }
    one.found(document);
    return true;
  };

  /** Those of the terms of which the documents are not known. */
  const searchEachListed = async (
    sessionKey: number,
    wanted: readonly Wanted[],
    mayProbe: boolean,
    isEnough: () => boolean,
  ): Promise<readonly Wanted[]> => {
    const unlisted: Wanted[] = [];
    for (const one of wanted) {
      if (!(await searchListed(sessionKey, one, mayProbe))) unlisted.push(one);
      else if (isEnough()) return unlisted;
    }
    return unlisted;
  };

  /** Reads the session from its first document that counts for any of the terms. */
  const searchText = async (sessionKey: number, wanted: readonly Wanted[], isEnough: () => boolean): Promise<void> => {
    let open = wanted;
    const last = Math.max(...wanted.map(({ filter }) => filter.to));
    let place: DocumentPlace | null = beforeTime(Math.min(...wanted.map(({ filter }) => filter.from)));
    for (let size = FIRST_BATCH; ; size = Math.min(size * 2, LARGEST_BATCH)) {
      const documents = run.reader.documents.inOrder(sessionKey, place, size);
      for (const document of documents) {
        const hit = open.filter((one) => isHit(one, document));
        if (hit.length === 0) continue;
        for (const one of hit) one.found(document);
        open = open.filter((one) => !hit.includes(one));
        if (open.length === 0 || isEnough()) return;
      }
      place = documents.at(-1) ?? null;
      if (documents.length < size || place === null || place.createdAt >= last) break;
      // What does not stand near the start is asked of the postings, once.
      if (size === FIRST_BATCH) {
        open = await searchEachListed(sessionKey, open, true, isEnough);
        if (open.length === 0 || isEnough()) return;
      }
      await run.pause();
    }
    for (const one of open) one.found(null);
  };

  return {
    get textRead() {
      return textRead;
    },
    async search(sessionKey, wanted, isEnough) {
      const unlisted = await searchEachListed(sessionKey, wanted, false, isEnough);
      if (unlisted.length > 0 && !isEnough()) await searchText(sessionKey, unlisted, isEnough);
    },
  };
}

function admits({ role, from, to }: MessageFilter, document: DocumentRow): boolean {
  return document.createdAt >= from && document.createdAt < to && (role === null || document.role === role);
}

function inOrder<Placed extends DocumentPlace>(places: readonly Placed[]): readonly Placed[] {
  return [...places].sort(comparePlaces);
}

function comparePlaces(one: DocumentPlace, other: DocumentPlace): number {
  return one.createdAt - other.createdAt || compareText(one.messageId, other.messageId) || one.chunk - other.chunk;
}

/** As SQLite compares ids: by code unit for the ASCII that ids are made of. */
function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function beforeTime(time: number): DocumentPlace | null {
  return time === ALL_TIME.from ? null : { createdAt: time, messageId: "", chunk: -1 };
}
