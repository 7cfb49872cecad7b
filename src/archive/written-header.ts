/** Written header: the top of a session's file as it would be written now, and whether that differs from what stands there. */

import type { Catalog } from "./catalog.ts";
import type { SessionHeader } from "./session-file.ts";
import type { SessionRecord } from "./session-record.ts";

export interface WrittenHeaderContext {
  readonly catalog: Catalog;
  /** Of a file that is written now (session-file.ts, SyncState). */
  readonly settings: string;
  /** Whether a turn of the session is under way. */
  isBusy(sessionId: string): boolean;
}

export function headerToWrite(record: SessionRecord, context: WrittenHeaderContext): SessionHeader {
  const { id, header, stamp, complete, fingerprint } = record;
  const { catalog, settings } = context;
  return {
    ...header,
    subSessions: [...new Set([...header.subSessions, ...catalog.childrenOf(id)])],
    redactions: record.redactions(),
    // A fingerprint says that this is all there is. While a turn is under way it is not, and should the process end
    // now, the next one has to look again.
    sync: { stamp, complete, fingerprint: context.isBusy(id) ? null : fingerprint, settings },
  };
}

/** A header as text without its stamp, which alone is no reason to write. */
export function comparable(header: SessionHeader): string {
  return JSON.stringify({ ...header, sync: { ...header.sync, stamp: 0 } });
}
