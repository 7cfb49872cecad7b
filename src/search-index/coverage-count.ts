/** Coverage count: how much of the host's history the index holds, as far as a listing was compared with it. */

import { sql } from "../sqlite/sql.ts";
import type { IndexStore } from "./index-store.ts";

/** How much of the history the index holds: shaped as Coverage of the search results. */
export interface IndexCoverage {
  readonly indexedSessions: number;
  readonly knownSessions: number | null;
  readonly complete: boolean;
  readonly rebuilding: boolean;
  readonly troubles: readonly string[];
}

export class CoverageCount {
  readonly #store: IndexStore;
  /** Sessions that were found outdated and not yet refreshed. */
  readonly #outdated = new Set<string>();
  /** The last listing's count, and of which generation of the store it was. */
  #listed: { readonly sessions: number; readonly generation: number } | null = null;

  constructor(store: IndexStore) {
    this.#store = store;
  }

  /** Whether every session of the listing is in. */
  get isComplete(): boolean {
    return this.#known !== null && this.#outdated.size === 0;
  }

  /** @param sessions how many a listing of the host named, all of them compared with the index as it is now */
  noteListed(sessions: number): void {
    this.#listed = { sessions, generation: this.#store.generation };
  }

  /** @returns whether that changed something */
  noteOutdated(sessionId: string, isOutdated: boolean): boolean {
    if (!isOutdated) return this.#outdated.delete(sessionId);
    const isNew = !this.#outdated.has(sessionId);
    this.#outdated.add(sessionId);
    return isNew;
  }

  coverage(): IndexCoverage {
    const known = this.#known;
    const { isReopening, generation, troubles } = this.#store;
    return {
      indexedSessions: known === null ? this.#storedSessions() : Math.max(0, known - this.#outdated.size),
      knownSessions: known,
      complete: this.isComplete,
      rebuilding: isReopening || (known === null && generation > 0),
      troubles: troubles.list(),
    };
  }

  /** null until a listing was compared with the index as it is now. */
  get #known(): number | null {
    const { isReopening, generation } = this.#store;
    return isReopening || this.#listed?.generation !== generation ? null : this.#listed.sessions;
  }

  #storedSessions(): number {
    if (this.#store.isReopening) return 0;
    const rows = this.#store.peek((database) =>
      database.all(sql`SELECT count(*) AS count FROM sessions WHERE complete = 1 AND removed_at IS NULL`),
    );
    return Number(rows[0]?.["count"] ?? 0);
  }
}
