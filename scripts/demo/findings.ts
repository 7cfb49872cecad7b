/** Findings: what the plugin left on disk during the demo. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

/** The search index with its companions, in OpenCode's data folder. */
export function indexFiles(dataFolder: string): readonly FoundFile[] {
  return filesIn(join(dataFolder, "history-search"));
}

function filesIn(folder: string): readonly FoundFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, bytes: statSync(path).size }));
}
