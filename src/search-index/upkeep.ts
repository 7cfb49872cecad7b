/**
 * Upkeep: what keeps the file fast and small after writes, each step a slice of its own: merging segments of postings
 * and moving the write-ahead log into the file.
 */

import type { IndexStore } from "./index-store.ts";

/** UTF-16 units of text written between two checkpoints. */
const CHECKPOINT_LENGTH = 512 * 1024;
/** What a write adds to the log beside its text, as if it were text: rows, indexes, postings. */
const WRITE_LENGTH = 8 * 1024;

export class Upkeep {
  readonly #store: IndexStore;
  #sinceCheckpoint = 0;
  #hasRemoved = false;

  constructor(store: IndexStore) {
    this.#store = store;
  }

  /** To be awaited after each write: merging keeps pace with writing. */
  async wrote(length: number): Promise<void> {
    while (await this.#store.write(({ postings }) => postings.merge()));
    this.#sinceCheckpoint += length + WRITE_LENGTH;
    if (this.#sinceCheckpoint < CHECKPOINT_LENGTH) return;
    this.#sinceCheckpoint = 0;
    await this.#store.checkpoint();
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
}
