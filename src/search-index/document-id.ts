/**
 * Document id: a document's row id names its session, so that the postings alone tell which sessions hold a word.
 *
 * A session's documents are neighbours, in the postings (small differences compress well, and a distinct list of
 * sessions is made without touching a row) and on disk (verifying a session reads neighbouring pages).
 */

/** Documents a session can hold: 16 million. Session keys up to 2^29 then keep ids within a safe integer. */
export const DOCUMENTS_PER_SESSION = 2 ** 24;

/** Bits to shift a document id right by, to get its session's key in SQL. */
export const SESSION_SHIFT = 24;

/** Ids of a session's documents: half-open. A writer gives `from` to the first and the highest used id + 1 to the next. */
export function documentIds(sessionKey: number): { readonly from: number; readonly to: number } {
  return { from: sessionKey * DOCUMENTS_PER_SESSION, to: (sessionKey + 1) * DOCUMENTS_PER_SESSION };
}

export function sessionKeyOf(documentId: number): number {
  return Math.floor(documentId / DOCUMENTS_PER_SESSION);
}
