/** Findings: what the plugin left on disk during the demo. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

/** The search index with its companions, in OpenCode's data folder. */
export function indexFiles(dataFolder: string): readonly FoundFile[] {
  return filesIn(join(dataFolder, "history-search"));
}

/** The readable copies in the repository. */
export function archiveFiles(project: string): readonly FoundFile[] {
  return filesIn(archiveFolder(project)).filter((file) => file.path.endsWith(".json"));
}

export function archiveFolder(project: string): string {
  return join(project, ".opencode", "sessions");
}

/** The archived copy of a session as it stands on disk; null when there is none. */
export function archivedSession(project: string, sessionId: string): string | null {
  const file = join(archiveFolder(project), `${sessionId}.json`);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

function filesIn(folder: string): readonly FoundFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, bytes: statSync(path).size }));
}
