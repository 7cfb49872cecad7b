/** Open somewhere: the index in its file, or in memory where there is nowhere to write, and what is said about that. */

import { type IndexFile, type IndexFileOptions, openIndexFile, openInMemory } from "./index-file.ts";
import { describeFailure, type Troubles } from "./troubles.ts";

/** An index that is open, in a file or in memory. */
export interface Opened {
  readonly file: IndexFile;
  /** Why there is no file; null when there is one. */
  readonly failure: unknown;
}

/**
 * Never rejects for what is on the disk: the last resort is an index in memory.
 * @param damaged identity of a file that is to be set aside; null for none
 */
export async function openSomewhere(options: IndexFileOptions, damaged: string | null): Promise<Opened> {
  try {
    return { file: await openIndexFile(options, damaged), failure: null };
  } catch (error) {
    return { file: openInMemory(options.driver), failure: error };
  }
}

/** Says in what way a file is less than it should be, in answers and in the log. */
export function noteFile(
  troubles: Troubles,
  { log, driver }: IndexFileOptions,
  file: IndexFile,
  failure: unknown,
): void {
  troubles.clear("memory");
  troubles.clear("scan");
  if (file.path === null) {
    const reason = describeFailure(failure) ?? String(failure);
    troubles.note("memory", `The search index is kept in memory only and is built anew at each start: ${reason}.`);
    log.warn("The search index is kept in memory only.", { reason });
  }
  if (!file.hasPostings) {
    troubles.note("scan", "This SQLite has no trigram index: searches read the whole history and take longer.");
    log.warn("SQLite has no FTS5 trigram tokenizer; searches read the texts.", { sqlite: driver.sqliteVersion });
  }
}
