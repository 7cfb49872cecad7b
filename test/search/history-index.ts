/** History index: an index in a folder of its own, filled anew with one history after another. */

import { systemClock } from "../../src/runtime/clock.ts";
import type { SearchIndex } from "../../src/search-index/search-index.ts";
import type { FileSystem } from "../../src/search/file-system.ts";
import { createHistorySearch } from "../../src/search/history-search.ts";
import type { HistorySearch } from "../../src/search/request.ts";
import type { Database } from "../../src/sqlite/database.ts";
import { openTestIndex, removeFolder, store, temporaryFolder, testDriver } from "../search-index/opened-index.ts";
import type { ReferenceSession } from "../support/reference-search.ts";

/** A file system without links. */
export const PLAIN_FILES: FileSystem = { homeDirectory: "/home/u", realPath: (path) => Promise.resolve(path) };

export class HistoryIndex {
  readonly index: SearchIndex;
  readonly search: HistorySearch;
  /** Reads the texts only, as where SQLite has no trigram tokenizer. */
  readonly scan: HistorySearch;
  /** Takes every word for a common one, as words are in a long history. */
  readonly common: HistorySearch;
  readonly #directory: string;
  readonly #database: Database;

  private constructor(directory: string, index: SearchIndex, files: FileSystem) {
    this.#directory = directory;
    this.index = index;
    this.search = createHistorySearch({ index, clock: systemClock, files });
    const limits = { rare: 1, rareShort: 1, readBeforeLookUp: 0 };
    this.common = createHistorySearch({ index, clock: systemClock, files, limits });
    const withoutPostings = {
      hasPostings: false,
      mayYieldInReads: false,
      whenOpen: () => index.whenOpen(),
      beginRead: () => index.beginRead(),
      endRead: () => index.endRead(),
      coverage: () => index.coverage(),
    };
    this.scan = createHistorySearch({ index: withoutPostings, clock: systemClock, files });
    this.#database = testDriver().open({ path: index.path ?? "", readOnly: false, busyTimeoutMs: 5 });
  }

  static async open(files: FileSystem = PLAIN_FILES): Promise<HistoryIndex> {
    const directory = temporaryFolder();
    return new HistoryIndex(directory, await openTestIndex(directory), files);
  }

  /** Replaces what the index holds. */
  async hold(history: readonly ReferenceSession[]): Promise<void> {
    this.#database.exec(`BEGIN IMMEDIATE;
      DELETE FROM sessions; DELETE FROM documents; DELETE FROM document_paths; DELETE FROM document_tools;
      INSERT INTO postings (postings) VALUES ('delete-all');
      COMMIT`);
    for (const { session, messages } of history) await store(this.index, session, messages);
  }

  async close(): Promise<void> {
    this.#database.close();
    await this.index.close();
    removeFolder(this.#directory);
  }
}
