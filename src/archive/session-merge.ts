/**
 * Session merge: what to do when another process, a person or git has replaced the file that a record was made of. The
 * file is taken as the new base; of what waits here, whatever is newer than the file goes on top of it.
 */

import type { FileIdentity } from "./file-system.ts";
import type { ScannedFile } from "./session-file-scan.ts";
import type { SessionTail } from "./session-file.ts";
import type { SessionRecord, Turn } from "./session-record.ts";

export function mergeFile(record: SessionRecord, scanned: ScannedFile, file: FileIdentity): void {
  const { stamp } = scanned.header.sync;
  const waiting = [...record.turns.values()].filter(({ place }) => place.kind === "waiting");
  const removed = [...record.removedTurns.values()].filter((turn) => removedSinceWritten(turn));
  record.turns.clear();
  record.removedTurns.clear();
  record.adopt(scanned, file);

  for (const turn of waiting) {
    const known = record.turns.get(turn.messageId) ?? record.removedTurns.get(turn.messageId);
    if (known !== undefined && known.stamp >= turn.stamp) continue;
    record.removedTurns.delete(turn.messageId);
    record.turns.set(turn.messageId, turn);
  }
  for (const turn of removed) {
    if (turn.removedAt === null || Date.parse(turn.removedAt) <= stamp) continue;
    const known = record.turns.get(turn.messageId) ?? (turn.place.kind === "waiting" ? turn : undefined);
    if (known === undefined) continue;
    record.turns.delete(turn.messageId);
    record.removedTurns.set(turn.messageId, { ...known, removedAt: turn.removedAt });
  }

  const theirsIsNewer = stamp > record.headerStamp;
  const mine = record.header;
  const newer = theirsIsNewer ? scanned.header : mine;
  record.header = {
    ...newer,
    deletedAt: mine.deletedAt ?? scanned.header.deletedAt,
    compactedAt: later(mine.compactedAt, scanned.header.compactedAt),
    git: scanned.header.git ?? mine.git,
    subSessions: [...new Set([...scanned.header.subSessions, ...mine.subSessions])],
  };
  if (theirsIsNewer) record.fingerprint = scanned.header.sync.fingerprint;
  record.complete ||= scanned.header.sync.complete;
  record.tail = mergeTails(scanned.tail, record.tail);
  record.stamp = Math.max(record.stamp, stamp);
  record.changed = true;
}

/** The file is gone, and what was in it: the host has to be read from the first message on. */
export function mergeNoFile(record: SessionRecord): void {
  // Nothing was in a file yet, so nothing is lost with it.
  if (record.file === null) return;
  for (const turns of [record.turns, record.removedTurns]) {
    for (const [id, { place }] of turns) if (place.kind === "filed") turns.delete(id);
  }
  record.file = null;
  record.complete = false;
  record.fingerprint = null;
  record.changed = true;
}

function removedSinceWritten({ place }: Turn): boolean {
  return place.kind === "waiting" || place.turn.head.removedAt === undefined;
}

function mergeTails(theirs: SessionTail, mine: SessionTail): SessionTail {
  return {
    permissions: union(theirs.permissions, mine.permissions),
    errors: union(theirs.errors, mine.errors),
  };
}

function union<Item extends { readonly timestamp: string }>(theirs: readonly Item[], mine: readonly Item[]): Item[] {
  const byText = new Map([...theirs, ...mine].map((item) => [JSON.stringify(item), item]));
  return [...byText.values()].sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
}

function later(one: string | null, other: string | null): string | null {
  return one !== null && (other === null || one > other) ? one : other;
}
