/**
 * Session record: what is known of one archived session while it is being worked on. The turns themselves stay where
 * they are, in the session's file or in the spool; the record knows their order, digests and places.
 */

import type { MessageRole } from "../session/session.ts";
import { isoTime } from "./turn.ts";
import type { FileIdentity } from "./file-system.ts";
import type { ScannedFile, ScannedTurn } from "./session-file-scan.ts";
import type { SessionHeader, SessionTail, TurnHead } from "./session-file.ts";
import type { SpoolPlace } from "./spool.ts";

/** Where the bytes of a turn are: in the file as it was last written, or waiting for the next write. */
type TurnPlace =
  | { readonly kind: "filed"; readonly turn: ScannedTurn }
  | { readonly kind: "waiting"; readonly place: SpoolPlace };

export interface Turn {
  readonly messageId: string;
  readonly role: MessageRole | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly digest: string | null;
  readonly redacted: Readonly<Record<string, number>> | null;
  readonly removedAt: string | null;
  /** Of the refresh that brought it. */
  readonly stamp: number;
  readonly place: TurnPlace;
}

export class SessionRecord {
  header: SessionHeader;
  tail: SessionTail;
  /** The version of the file that `filed` turns lie in; null when there is no file yet. */
  file: FileIdentity | null = null;
  /** Highest stamp handed out or read. */
  stamp: number;
  readonly turns = new Map<string, Turn>();
  readonly removedTurns = new Map<string, Turn>();
  /** Of the refresh or event that the header is from. */
  headerStamp: number;
  /** Whether every message of the session was compared once. */
  complete: boolean;
  /** Fingerprint of what is stored. */
  fingerprint: string | null;
  /** Whether something differs from the file. */
  changed = false;

  constructor(header: SessionHeader, tail: SessionTail = { permissions: [], errors: [] }) {
    this.header = header;
    this.tail = tail;
    this.stamp = header.sync.stamp;
    this.headerStamp = header.sync.stamp;
    this.complete = header.sync.complete;
    this.fingerprint = header.sync.fingerprint;
  }

  get id(): string {
    const { _id } = this.header;
    return _id;
  }

  get deleted(): boolean {
    return this.header.deletedAt !== null;
  }

  static ofFile(scanned: ScannedFile, file: FileIdentity): SessionRecord {
    const record = new SessionRecord(scanned.header, scanned.tail);
    record.adopt(scanned, file);
    return record;
  }

  /** Takes the turns of a file as the stored ones. */
  adopt(scanned: ScannedFile, file: FileIdentity): void {
    this.file = file;
    for (const turn of scanned.turns) this.turns.set(turn.head.messageId, filedTurn(turn, scanned.header.sync.stamp));
    for (const turn of scanned.removedTurns) {
      this.removedTurns.set(turn.head.messageId, filedTurn(turn, scanned.header.sync.stamp));
    }
  }

  /** Changes the header; whether that is news is found by comparing. */
  updateHeader(fields: Partial<SessionHeader>): void {
    const next = { ...this.header, ...fields };
    if (JSON.stringify(next) === JSON.stringify(this.header)) return;
    this.header = next;
    this.changed = true;
  }

  updateTail(fields: Partial<SessionTail>): void {
    this.tail = { ...this.tail, ...fields };
    this.changed = true;
  }

  /** Stores a turn unless a later refresh brought the same one. */
  putTurn(turn: Turn): void {
    const known = this.turns.get(turn.messageId) ?? this.removedTurns.get(turn.messageId);
    if (known !== undefined && known.stamp > turn.stamp) return;
    this.removedTurns.delete(turn.messageId);
    this.turns.set(turn.messageId, turn);
    this.changed = true;
  }

  /** Moves a turn to the removed ones, unless a later refresh than `stamp` has seen it. */
  removeTurn(messageId: string, at: number, stamp: number): void {
    const turn = this.turns.get(messageId);
    if (turn === undefined || turn.stamp > stamp) return;
    this.turns.delete(messageId);
    this.removedTurns.set(messageId, { ...turn, removedAt: isoTime(at) });
    this.changed = true;
  }

  /** Makes every turn unknown, so that all are brought and encoded again. */
  forgetDigests(): void {
    this.complete = false;
    this.fingerprint = null;
    for (const [id, turn] of this.turns) this.turns.set(id, { ...turn, digest: null });
  }

  /** Live turns as they happened. */
  inOrder(): Turn[] {
    return byTime(this.turns);
  }

  removedInOrder(): Turn[] {
    return byTime(this.removedTurns);
  }

  redactions(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { redacted } of this.turns.values()) {
      if (redacted === null) continue;
      for (const [kind, count] of Object.entries(redacted)) counts[kind] = (counts[kind] ?? 0) + count;
    }
    return Object.fromEntries(Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

function filedTurn(turn: ScannedTurn, stamp: number): Turn {
  return turnAt({ kind: "filed", turn }, turn.head, stamp);
}

/** A turn as its head in a file describes it, whose text lies at `place`. */
export function turnAt(place: TurnPlace, head: TurnHead, stamp: number): Turn {
  return {
    messageId: head.messageId,
    role: head.role,
    createdAt: Date.parse(head.timestamp),
    digest: head.digest,
    redacted: head.redacted ?? null,
    removedAt: head.removedAt ?? null,
    stamp,
    place,
  };
}

/** For a message whose time is no time. */
const NO_TIME = new Date(0).toISOString();

/** The part of a turn's head that says whether it is reverted. */
export type RevertMark = Pick<TurnHead, "reverted" | "revertedFromPart">;

/** The top of a turn as it is to be written. */
export function headOf(turn: Turn, mark: RevertMark): TurnHead {
  return {
    role: turn.role,
    messageId: turn.messageId,
    timestamp: isoTime(turn.createdAt) ?? NO_TIME,
    ...mark,
    ...(turn.removedAt === null ? {} : { removedAt: turn.removedAt }),
    ...(turn.redacted === null ? {} : { redacted: turn.redacted }),
    digest: turn.digest,
  };
}

/** Ids do not grow with time for ever, so they only settle the order within one millisecond. */
export function compareTurns(one: Turn, other: Turn): number {
  return one.createdAt - other.createdAt || (one.messageId < other.messageId ? -1 : 1);
}

function byTime(turns: ReadonlyMap<string, Turn>): Turn[] {
  return [...turns.values()].sort(compareTurns);
}
