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

/** Documents from which on a session is large: the postings are asked before its text is read. */
const LARGE_SESSION = 1500;
/** Documents read at a time: few at first, since common words stand near the start. */
const FIRST_BATCH = 8;
const LARGEST_BATCH = 64;

export function createTermSearch(run: SearchRun, candidates: Candidates): TermSearch {
  let textRead = 0;

  /** Whether the document counts and holds the term; reports the find. */
  const check = ({ term, filter, found }: Wanted, document: DocumentRow): boolean => {
    if (!admits(filter, document)) return false;
    textRead += document.text.length;
    if (!term.words.areIn(document.text)) return false;
    found(document);
    return true;
  };

  /** Reads only the documents that can hold the term. False when they are not known. */
  const searchListed = async (sessionKey: number, one: Wanted, isLarge: boolean): Promise<boolean> => {
    const ids = candidates.documents(one.term, sessionKey, isLarge);
    if (ids === null) return false;
    const places = ids.length <= FIRST_BATCH ? ids.map((id) => ({ id })) : inOrder(run.reader.documents.placesOf(ids));
    for (let start = 0; start < places.length; start += FIRST_BATCH) {
      const batch = places.slice(start, start + FIRST_BATCH).map(({ id }) => id);
      const documents = inOrder(run.reader.documents.byIds(batch));
      if (documents.some((document) => check(one, document))) return true;
      await run.pause();
    }
    one.found(null);
    return true;
  };

  /** Reads the session from its first document that counts for any of the terms. */
  const searchText = async (sessionKey: number, wanted: readonly Wanted[], isEnough: () => boolean): Promise<void> => {
    let open = wanted;
    const last = Math.max(...wanted.map(({ filter }) => filter.to));
    let place: DocumentPlace | null = beforeTime(Math.min(...wanted.map(({ filter }) => filter.from)));
    for (let size = FIRST_BATCH; ; size = Math.min(size * 2, LARGEST_BATCH)) {
      const documents = run.reader.documents.inOrder(sessionKey, place, size);
      for (const document of documents) {
        const isFound = (one: Wanted): boolean => check(one, document);
        const left = open.filter((one) => !isFound(one));
        if (left.length === open.length) continue;
        open = left;
        if (open.length === 0 || isEnough()) return;
      }
      place = documents.at(-1) ?? null;
      if (documents.length < size || place === null || place.createdAt >= last) break;
      await run.pause();
    }
    for (const one of open) one.found(null);
  };

  return {
    get textRead() {
      return textRead;
    },
    async search(sessionKey, wanted, isEnough) {
      const isLarge = run.reader.documents.sizeBound(sessionKey) > LARGE_SESSION;
      const unlisted: Wanted[] = [];
      for (const one of wanted) {
        if (!(await searchListed(sessionKey, one, isLarge))) unlisted.push(one);
        else if (isEnough()) return;
      }
      if (unlisted.length > 0) await searchText(sessionKey, unlisted, isEnough);
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
