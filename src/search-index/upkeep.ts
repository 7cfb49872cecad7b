/**
 * Upkeep: what keeps the file fast and small after writes, each step a slice of its own: merging segments of postings
 * and moving the write-ahead log into the file.
 */

import { sql } from "../sqlite/sql.ts";
import type { IndexStore } from "./index-store.ts";

/** UTF-16 units of text written between two checkpoints. */
const CHECKPOINT_LENGTH = 512 * 1024;
/** What a write adds to the log beside its text, as if it were text: rows, indexes, postings. */
const WRITE_LENGTH = 8 * 1024;
/** What a step of merging adds to the log, likewise. */
const MERGE_LENGTH = 64 * 1024;
/** Writes between two merges: their segments become one at once. */
const WRITES_BETWEEN_MERGES = 8;
/** Merge steps after a write at most: what a large merge leaves undone, the writes after it do. */
const MERGES_AT_ONCE = 16;
/** UTF-16 units of text below which segments are not worth being made one. */
const LEAST_CONSOLIDATED = 1024 * 1024;
/** The share of the file's size that must have been written since its segments were last made one. */
const CONSOLIDATED_SHARE = 1 / 8;

export class Upkeep {
  readonly #store: IndexStore;
  #writes = 0;
  #sinceCheckpoint = 0;
  #sinceConsolidation = 0;
  #consolidating: Promise<void> | null = null;
  #hasRemoved = false;

  constructor(store: IndexStore) {
    this.#store = store;
  }

  /** To be awaited after each write: merging keeps pace with writing. */
  async wrote(length: number): Promise<void> {
    this.#sinceConsolidation += length;
    this.#writes += 1;
    if (this.#writes % WRITES_BETWEEN_MERGES === 0) await this.#mergeUpTo(MERGES_AT_ONCE);
    await this.#logged(length + WRITE_LENGTH);
  }

  async removed(): Promise<void> {
    this.#hasRemoved = true;
    await this.wrote(0);
  }

  /** Overwrites removed text in the write-ahead log too, where no reader still needs it. */
  async scrub(): Promise<void> {
    if (!this.#hasRemoved) return;
    this.#hasRemoved = false;
    this.#sinceCheckpoint = 0;
    await this.#store.checkpoint();
    await this.#store.checkpoint("TRUNCATE");
  }

  /** Merges all segments into one when much was written, as by a first backfill: fewer bytes, and fewer to look in. */
  async consolidate(): Promise<void> {
    this.#consolidating ??= this.#consolidate().finally(() => {
      this.#consolidating = null;
    });
    await this.#consolidating;
  }

  async #consolidate(): Promise<void> {
    if (this.#sinceConsolidation < LEAST_CONSOLIDATED) return;
    if (this.#sinceConsolidation < (await this.#fileSize()) * CONSOLIDATED_SHARE) return;
    this.#sinceConsolidation = 0;
    if (!(await this.#store.write(({ postings }) => postings.mergeAll()))) return;
    await this.#mergeUpTo(Infinity);
  }

  async #mergeUpTo(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      if (!(await this.#store.write(({ postings }) => postings.merge()))) return;
      await this.#logged(MERGE_LENGTH);
    }
  }

  async #logged(length: number): Promise<void> {
    this.#sinceCheckpoint += length;
    if (this.#sinceCheckpoint < CHECKPOINT_LENGTH) return;
    this.#sinceCheckpoint = 0;
    await this.#store.checkpoint();
  }

  #fileSize(): Promise<number> {
    return this.#store.query((database) => {
      const pages = Number(database.all(sql`PRAGMA page_count`)[0]?.["page_count"]);
      return pages * Number(database.all(sql`PRAGMA page_size`)[0]?.["page_size"]);
    });
  }
}
