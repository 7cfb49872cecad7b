/** Open index: the search index as a promise of one, so that a plugin can start before it is open. */

import { messageOf } from "./runtime/error-message.ts";
import { join } from "node:path";

import type { Clock } from "./runtime/clock.ts";
import { dataFolder } from "./runtime/data-folder.ts";
import type { Logger } from "./runtime/logger.ts";
import { openSearchIndex, type SearchIndex } from "./search-index/search-index.ts";
import { loadDriver } from "./sqlite/driver.ts";

/** The index of this process, or why there is none. */
export type OpenedIndex =
  | { readonly index: SearchIndex; readonly driver: string; readonly reason: null }
  | { readonly index: null; readonly driver: null; readonly reason: string };

export interface OpenIndexOptions {
  /** null: `history-search` in OpenCode's data folder. */
  readonly directory: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRebuilt: () => void;
}

/** Opens the index. Never rejects: where there is no SQLite at all, it says so. */
export async function openIndex({ directory, clock, log, onRebuilt }: OpenIndexOptions): Promise<OpenedIndex> {
  try {
    const driver = await loadDriver();
    const folder = directory ?? join(dataFolder(), "history-search");
    const index = await openSearchIndex({ directory: folder, driver, clock, log, onRebuilt });
    return { index, driver: `${driver.name}, SQLite ${driver.sqliteVersion}`, reason: null };
  } catch (error) {
    const reason = messageOf(error);
    log.error("There is no search index: nothing can be searched.", { reason });
    return { index: null, driver: null, reason };
  }
}
