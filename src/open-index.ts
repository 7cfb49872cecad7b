/** Open index: the search index as a promise of one, so that a plugin can start before it is open. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";

import type { Clock } from "./runtime/clock.ts";
import { dataFolder } from "./runtime/data-folder.ts";
import { messageOf } from "./runtime/error-message.ts";
import { expandHome } from "./runtime/home-path.ts";
import type { Logger } from "./runtime/logger.ts";
import { openSearchIndex, type SearchIndex } from "./search-index/search-index.ts";
import { loadDriver } from "./sqlite/driver.ts";

/** The index of this process, or why there is none. */
export type OpenedIndex =
  | { readonly index: SearchIndex; readonly driver: string; readonly reason: null }
  | { readonly index: null; readonly driver: null; readonly reason: string };

export interface OpenIndexOptions {
  /** The option `indexDirectory`; null where it is not set. */
  readonly directory: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRebuilt: () => void;
}

/**
 * Where the index lies. A relative path starts at OpenCode's data folder and never at the working directory: that is a
 * repository, in which the index would lie open to be committed.
 * @param configured the option `indexDirectory`; null where it is not set
 */
export function indexFolder(configured: string | null, data: string, home: string): string {
  return configured === null ? join(data, "history-search") : resolve(data, expandHome(configured, home));
}

/** Opens the index. Never rejects: where there is no SQLite at all, it says so. */
export async function openIndex({ directory, clock, log, onRebuilt }: OpenIndexOptions): Promise<OpenedIndex> {
  try {
    const driver = await loadDriver();
    const folder = indexFolder(directory, dataFolder(), homedir());
    const index = await openSearchIndex({ directory: folder, driver, clock, log, onRebuilt });
    return { index, driver: `${driver.name}, SQLite ${driver.sqliteVersion}`, reason: null };
  } catch (error) {
    const reason = messageOf(error);
    log.error("There is no search index: nothing can be searched.", { reason });
    return { index: null, driver: null, reason };
  }
}
