/** Index refresh: one refresh of one session, from its stamp to its fingerprint. */

import type { Clock } from "../runtime/clock.ts";
import { startTimeSlice } from "../runtime/time-slice.ts";
import type { Message, Session } from "../session/session.ts";
import { wellFormed } from "../session/well-formed.ts";
import { sql } from "../sqlite/sql.ts";
import type { IndexStore } from "./index-store.ts";
import type { IndexWriters } from "./index-writers.ts";
import { type DocumentDraft, draftMessage, draftTitle } from "./message-draft.ts";
import { inPageOrder } from "./page-order.ts";
import type { StoredSession } from "./session-writer.ts";
import type { Upkeep } from "./upkeep.ts";

/** UTF-16 units of text in one transaction: what is written without a pause. */
const COMMIT_LENGTH = 64 * 1024;
/** Documents in one transaction, however short. */
const COMMIT_DOCUMENTS = 64;
/** Ids asked for in one statement. */
const IDS_AT_ONCE = 500;
/** Documents removed in one transaction; each may be as large as a document gets. */
const REMOVED_AT_ONCE = 8;

/** The index was made anew while the refresh ran. What was written before is gone: the session needs a full pass. */
export class IndexRebuiltError extends Error {
  constructor(sessionId: string) {
    super(`The index was built anew while session ${sessionId} was written to it. Refresh the session again.`);
    this.name = "IndexRebuiltError";
  }
}

export interface OpenedRefresh {
  readonly stamp: number;
  readonly complete: boolean;
  readonly storedMessages: number;
}

/** Shaped as sync's SinkRefresh. */
export class IndexRefresh {
  readonly stamp: number;
  readonly complete: boolean;
  readonly storedMessages: number;
  readonly #store: IndexStore;
  readonly #upkeep: Upkeep;
  readonly #clock: Clock;
  readonly #session: Session;
  readonly #onFinished: (complete: boolean) => void;
  /** Bytes left on the page that the last document went to, as far as nobody else wrote since. */
  #room = 0;

  constructor(
    { store, upkeep, clock }: { store: IndexStore; upkeep: Upkeep; clock: Clock },
    session: Session,
    opened: OpenedRefresh,
    onFinished: (complete: boolean) => void,
  ) {
    this.#store = store;
    this.#upkeep = upkeep;
    this.#clock = clock;
    this.#session = session;
    this.#onFinished = onFinished;
    ({ stamp: this.stamp, complete: this.complete, storedMessages: this.storedMessages } = opened);
  }

  async digests(messageIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const digests = new Map<string, string>();
    const slice = startTimeSlice(this.#clock);
    for (const ids of groupsOf(messageIds, IDS_AT_ONCE)) {
      const rows = await this.#store.query((database) =>
        database.all(
          // CROSS JOIN keeps the order: SQLite would rather read the whole session and look in the list.
          sql`SELECT message_id, digest FROM json_each(${JSON.stringify(ids)}) CROSS JOIN documents ON message_id = value
            WHERE session_key = (SELECT key FROM sessions WHERE id = ${this.#session.id}) AND chunk = 0`,
        ),
      );
      for (const row of rows) digests.set(String(row["message_id"]), String(row["digest"]));
      await slice.breathe();
    }
    return digests;
  }

  async put(messages: readonly { readonly message: Message; readonly digest: string }[]): Promise<void> {
    const slice = startTimeSlice(this.#clock);
    let batch: DocumentDraft[] = [];
    let length = 0;
    for (const { message, digest } of messages) {
      for (const draft of draftMessage(message, digest, this.#session)) {
        if (length + draft.text.length > COMMIT_LENGTH || batch.length === COMMIT_DOCUMENTS) {
          await this.#putDocuments(batch, length);
          batch = [];
          length = 0;
        }
        batch.push(draft);
        length += draft.text.length;
        await slice.breathe();
      }
    }
    if (batch.length > 0) await this.#putDocuments(batch, length);
  }

  async removeMessages(messageIds: readonly string[]): Promise<void> {
    for (const ids of groupsOf(messageIds.map(wellFormed), IDS_AT_ONCE)) await this.#removeUpTo(ids, this.stamp);
  }

  async finish(seen: ReadonlySet<string> | null): Promise<void> {
    if (seen !== null) await this.#removeUnseen(seen);
    await this.#write(({ sessions, documents }, { key, stamp }) => {
      if (stamp > this.stamp) {
        if (seen !== null) sessions.markComplete(key);
        return;
      }
      sessions.update(key, this.#session, this.stamp, seen !== null);
      documents.put(key, this.stamp, draftTitle(this.#session));
    });
    await this.#upkeep.wrote(0);
    this.#onFinished(this.complete || seen !== null);
  }

  async #putDocuments(drafts: readonly DocumentDraft[], length: number): Promise<void> {
    const ordered = inPageOrder(drafts, this.#room);
    await this.#write(({ documents }, { key }) => {
      for (const draft of ordered.drafts) documents.put(key, this.stamp, draft);
    });
    this.#room = ordered.room;
    await this.#upkeep.wrote(length);
  }

  async #removeUnseen(seen: ReadonlySet<string>): Promise<void> {
    const slice = startTimeSlice(this.#clock);
    let after = "";
    for (;;) {
      const found = await this.#store.query((database) =>
        database.all(
          // Whatever their stamps, which are not in the index: what is newer is kept by the removal itself.
          sql`SELECT message_id FROM documents
              WHERE session_key = (SELECT key FROM sessions WHERE id = ${this.#session.id})
                AND message_id > ${after} AND chunk = 0
              ORDER BY message_id LIMIT ${IDS_AT_ONCE}`,
        ),
      );
      const stored = found.map((row) => String(row["message_id"]));
      const last = stored.at(-1);
      if (last === undefined) return;
      const unseen = stored.filter((id) => !seen.has(id));
      if (unseen.length > 0) await this.#removeUpTo(unseen, this.stamp - 1);
      after = last;
      await slice.breathe();
    }
  }

  async #removeUpTo(messageIds: readonly string[], stamp: number): Promise<void> {
    const ids = await this.#write(({ documents }, { key }) => documents.documentsOf(key, messageIds, stamp));
    for (const group of groupsOf(ids ?? [], REMOVED_AT_ONCE)) {
      await this.#write(({ documents }, { key }) => documents.remove(key, group));
      await this.#upkeep.removed();
    }
  }

  /** Runs a job on the session's row; does nothing when the session was deleted since the refresh began. */
  #write<T>(job: (writers: IndexWriters, stored: StoredSession) => T): Promise<T | null> {
    return this.#store.write((writers) => {
      const stored = writers.sessions.find(this.#session.id);
      if (stored === null) throw new IndexRebuiltError(this.#session.id);
      return stored.removedAt === null ? job(writers, stored) : null;
    });
  }
}

export function groupsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
