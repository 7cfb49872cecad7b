/**
 * Search index: the sink that makes sessions searchable. Shaped as sync's SessionSink, and read through `beginRead`.
 */

import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { startTimeSlice } from "../runtime/time-slice.ts";
import { sessionFingerprint } from "../session/fingerprint.ts";
import type { Session } from "../session/session.ts";
import type { Database, SqliteDriver } from "../sqlite/database.ts";
import { sql } from "../sqlite/sql.ts";
import { CoverageCount, type IndexCoverage } from "./coverage-count.ts";
import { documentIds } from "./document-id.ts";
import { fileSystemType } from "./index-folder.ts";
import { groupsOf, IndexRefresh, type OpenedRefresh } from "./index-refresh.ts";
import { IndexStore } from "./index-store.ts";
import { draftTitle } from "./message-draft.ts";
import type { SearchableIndex } from "./reader.ts";
import { TOMBSTONE_MS } from "./session-writer.ts";
import { Upkeep } from "./upkeep.ts";

export interface SearchIndexOptions {
  /** The folder of the index, made when it is not there: `<data>/history-search`. */
  readonly directory: string;
  readonly driver: SqliteDriver;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the index was emptied or replaced while in use: all history is to be read again. */
  readonly onRebuilt?: () => void;
  /** The number of the file system a folder lies on (statfs); asked of the system unless given. */
  readonly fileSystemType?: (directory: string) => number | null;
  /** Milliseconds that opening waits for other processes before the index is kept in memory. */
  readonly patienceMs?: number;
}

const OPENING_PATIENCE_MS = 5000;
const SESSIONS_AT_ONCE = 200;
const REMOVED_AT_ONCE = 8;
/** Bytes an index in memory may take. Sync reads newest first, so what is left out is the oldest. */
const MEMORY_LIMIT = 256 * 1024 * 1024;

export class SearchIndex implements SearchableIndex {
  readonly name = "index";
  readonly #store: IndexStore;
  readonly #upkeep: Upkeep;
  readonly #clock: Clock;
  readonly #count: CoverageCount;

  constructor(store: IndexStore, clock: Clock) {
    this.#store = store;
    this.#upkeep = new Upkeep(store);
    this.#clock = clock;
    this.#count = new CoverageCount(store);
  }

  /** Where the index lies; null while it is kept in memory. */
  get path(): string | null {
    return this.#store.file.path;
  }

  get hasPostings(): boolean {
    return this.#store.file.hasPostings;
  }

  /** Whether a search may give the event loop its turn inside a read transaction: not where that keeps writers out. */
  get mayYieldInReads(): boolean {
    return this.#store.file.journal === "wal";
  }

  wants(_session: Session): boolean {
    return true;
  }

  async outdated(sessions: readonly Session[]): Promise<ReadonlySet<string>> {
    await this.#store.heal();
    await this.#finishRemovals();
    const outdated = new Set<string>();
    const slice = startTimeSlice(this.#clock);
    for (const group of groupsOf(sessions, SESSIONS_AT_ONCE)) {
      const stored = await this.#fingerprints(group.map(({ id }) => id));
      for (const session of group) {
        const fingerprint = stored.get(session.id);
        const isOutdated = fingerprint !== "removed" && fingerprint !== sessionFingerprint(session);
        if (isOutdated) outdated.add(session.id);
        this.#noteOutdated(session.id, isOutdated);
      }
      await slice.breathe();
    }
    return outdated;
  }

  async open(session: Session): Promise<IndexRefresh | null> {
    if (this.#isFull()) return null;
    const opened = await this.#store.write(({ sessions, documents }): OpenedRefresh | null => {
      const stored = sessions.find(session.id);
      if (stored !== null && stored.removedAt !== null) return null;
      const stamp = Math.max(this.#clock.now(), Math.max(stored?.stamp ?? 0, stored?.opened ?? 0) + 1);
      if (stored === null) documents.put(sessions.insert(session, stamp), stamp, draftTitle(session));
      else sessions.markOpened(stored.key, stamp);
      return { stamp, complete: stored?.complete ?? false, storedMessages: stored?.messageCount ?? 0 };
    });
    if (opened === null) return null;
    const tools = { store: this.#store, upkeep: this.#upkeep, clock: this.#clock };
    return new IndexRefresh(tools, session, opened, (complete) => this.#noteOutdated(session.id, !complete));
  }

  async remove(sessionId: string, at: number): Promise<void> {
    this.#noteOutdated(sessionId, false);
    const key = await this.#store.write(({ sessions }) => {
      sessions.bury(sessionId, at);
      return sessions.find(sessionId)?.key ?? null;
    });
    if (key !== null) await this.#removeDocuments(key);
    await this.#upkeep.scrub();
  }

  async noteSessionError(sessionId: string): Promise<void> {
    await this.#store.write(({ sessions }) => sessions.noteError(sessionId));
  }

  /** @param count sessions that a listing of the host named, all of them compared with this index as it is now */
  setKnownSessions(count: number): void {
    this.#count.noteListed(count);
    this.#consolidateWhenWhole();
  }

  /** Makes the file small and fast to search after much was written; done by itself when all known sessions are in. */
  async consolidate(): Promise<void> {
    await this.#upkeep.consolidate();
  }

  coverage(): IndexCoverage {
    return this.#count.coverage();
  }

  whenOpen(): Promise<void> {
    return this.#store.whenOpen();
  }

  beginRead(): Database {
    return this.#store.beginRead();
  }

  endRead(): void {
    this.#store.endRead();
  }

  /** The reading connection for single statements; asked for at every use, since an index may be opened again. */
  readConnection(): Database {
    return this.#store.readConnection();
  }

  /** Finishes what was asked for, and closes the file. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  #noteOutdated(sessionId: string, isOutdated: boolean): void {
    if (this.#count.noteOutdated(sessionId, isOutdated)) this.#consolidateWhenWhole();
  }

  /** In the background: nothing waits for it. */
  #consolidateWhenWhole(): void {
    if (!this.#count.isComplete) return;
    this.consolidate().catch(() => {
      // The index was closed meanwhile, or cannot be written: the next write meets the same, and says so.
    });
  }

  /** Fingerprints of complete sessions; "removed" for tombstones; nothing for the others. */
  async #fingerprints(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#store.query((database) =>
      database.all(
        sql`SELECT sessions.id, fingerprint, removed_at
          FROM json_each(${JSON.stringify(ids)}) AS asked JOIN sessions ON sessions.id = asked.value
          WHERE complete = 1 OR removed_at IS NOT NULL`,
      ),
    );
    return new Map(
      rows.map((row) => [String(row["id"]), row["removed_at"] == null ? String(row["fingerprint"]) : "removed"]),
    );
  }

  async #removeDocuments(key: number): Promise<void> {
    let last = documentIds(key).from - 1;
    for (;;) {
      const ids = await this.#store.write(({ documents }) => {
        const next = documents.documentsAfter(key, last, REMOVED_AT_ONCE);
        documents.remove(key, next);
        return next;
      });
      if (ids.length === 0) return;
      last = ids.at(-1) ?? last;
      await this.#upkeep.removed();
    }
  }

  /** Ends removals that a crash interrupted, and forgets old tombstones. */
  async #finishRemovals(): Promise<void> {
    const keys = await this.#store.write(({ sessions }) => {
      sessions.forgetTombstones(this.#clock.now() - TOMBSTONE_MS);
      return sessions.unfinishedRemovals();
    });
    for (const key of keys) await this.#removeDocuments(key);
    await this.#upkeep.scrub();
  }

  #isFull(): boolean {
    if (this.path !== null) return false;
    const size = this.#store.peek((database) => {
      const pages = Number(database.all(sql`PRAGMA page_count`)[0]?.["page_count"]);
      return pages * Number(database.all(sql`PRAGMA page_size`)[0]?.["page_size"]);
    });
    if (size < MEMORY_LIMIT) return false;
    this.#store.troubles.note("size", "The index in memory is full: older sessions cannot be found.");
    return true;
  }
}

/** Opens the index of a folder. Never rejects for what is on the disk: see `coverage().troubles`. */
export async function openSearchIndex(options: SearchIndexOptions): Promise<SearchIndex> {
  const store = await IndexStore.open({
    onRebuilt: () => {},
    fileSystemType,
    patienceMs: OPENING_PATIENCE_MS,
    ...options,
  });
  return new SearchIndex(store, options.clock);
}
