/** Session refresh: one pass over a session's messages on its way into the archive. */

import { startTimeSlice } from "../runtime/time-slice.ts";
import type { Clock } from "../runtime/clock.ts";
import { sessionFingerprint } from "../session/fingerprint.ts";
import type { Message, Session } from "../session/session.ts";
import type { SessionArchive } from "./session-archive.ts";
import { noteCompaction, noteError } from "./session-events.ts";
import type { SessionRecord } from "./session-record.ts";
import { encodeTurn } from "./turn.ts";

export interface RefreshContext {
  readonly session: Session;
  readonly stamp: number;
  readonly complete: boolean;
  readonly storedMessages: number;
  readonly clock: Clock;
  /** The session's archive at the moment. */
  archive(): SessionArchive;
  /** Told how many milliseconds of work a call took, for what they are worth to the turn under way. */
  charge(ms: number): void;
}

interface DigestedMessage {
  readonly message: Message;
  readonly digest: string;
}

/** Implements the refresh of a session sink. */
export class SessionRefresh {
  readonly stamp: number;
  readonly complete: boolean;
  readonly storedMessages: number;
  readonly #context: RefreshContext;

  constructor(context: RefreshContext) {
    this.#context = context;
    this.stamp = context.stamp;
    this.complete = context.complete;
    this.storedMessages = context.storedMessages;
  }

  /** Digests of those of the messages that are archived. */
  digests(messageIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#context.archive().run((record) => {
      const digests = new Map<string, string>();
      for (const id of messageIds) {
        const digest = record?.turns.get(id)?.digest ?? null;
        if (digest !== null) digests.set(id, digest);
      }
      return digests;
    });
  }

  /** Masks, encodes and spools the messages; they reach the file after `finish`. */
  put(messages: readonly DigestedMessage[]): Promise<void> {
    const { clock } = this.#context;
    return this.#context.archive().run(async (record) => {
      if (record === null || record.deleted) return;
      const startedAt = clock.monotonic();
      for (const message of messages) await this.#put(record, message);
      this.#context.charge(clock.monotonic() - startedAt);
    });
  }

  /** Moves messages that the host no longer has to the removed ones. */
  removeMessages(messageIds: readonly string[]): Promise<void> {
    return this.#context.archive().run((record) => {
      if (record === null || record.deleted) return;
      for (const id of messageIds) record.removeTurn(id, this.#context.clock.now(), this.stamp);
    });
  }

  /**
   * Ends the refresh and asks for a write.
   * @param seen after a pass over all messages, the ids of all there were; null otherwise
   */
  finish(seen: ReadonlySet<string> | null): Promise<void> {
    const { session, clock } = this.#context;
    const archive = this.#context.archive();
    return archive.change((record) => {
      if (record === null || record.deleted) return;
      const isLatest = this.stamp >= record.headerStamp;
      archive.describe(record, session, this.stamp);
      if (seen !== null) {
        for (const id of record.turns.keys()) if (!seen.has(id)) record.removeTurn(id, clock.now(), this.stamp);
        record.complete = true;
        record.updateHeader({ recovered: false });
      }
      if (record.complete && isLatest) record.fingerprint = sessionFingerprint(session);
    });
  }

  async #put(record: SessionRecord, { message, digest }: DigestedMessage): Promise<void> {
    const { tools, spool } = this.#context.archive();
    const { masker, attachments } = tools;
    const turn = await encodeTurn(message, { masker, attachments, slice: startTimeSlice(this.#context.clock) });
    const { id: messageId, role, createdAt } = message;
    const place = { kind: "waiting", place: await spool.add(turn.body) } as const;
    record.putTurn({
      messageId,
      role,
      createdAt,
      digest,
      stamp: this.stamp,
      place,
      redacted: turn.redacted,
      removedAt: null,
    });
    if (turn.error !== null) noteError(record, message.completedAt ?? createdAt, turn.error, messageId);
    if (isCompaction(message)) noteCompaction(record, message.completedAt ?? createdAt);
  }
}

/** A summary, or the mark that hosts without summaries leave. */
function isCompaction({ isSummary, role, parts }: Message): boolean {
  return isSummary || (role === null && parts.some(({ type }) => type === "compaction"));
}
