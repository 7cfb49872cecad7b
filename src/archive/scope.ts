/** Scope: which sessions belong into the archive of a worktree. */

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

import { normalisePath } from "../session/file-path.ts";

/** Directories whose answer is remembered. */
const MOST_KNOWN = 1000;

/**
 * Tells whether a directory belongs to the worktree at `root`: it lies in it, and not in another worktree or repository
 * that lies in it.
 * @param isWorktree when false, only `root` itself belongs
 */
export function createScope(root: string, isWorktree: boolean): (directory: string) => boolean {
  const roots = new Set([comparable(root), comparable(resolveLinks(root))]);
  const known = new Map<string, boolean>();

  const isInside = (directory: string): boolean => {
    if (!isWorktree) return roots.has(comparable(directory));
    for (let at = directory; !roots.has(comparable(at)); at = dirname(at)) {
      // The host names directories that were deleted since, too: those are told by their paths alone.
      if (dirname(at) === at || existsSync(join(at, ".git"))) return false;
    }
    return true;
  };

  return (directory) => {
    const answer = known.get(directory) ?? isInside(directory);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(directory, answer);
    return answer;
  };
}

/** Windows compares paths without case, and hosts write drives and slashes both ways. */
function comparable(path: string): string {
  const normal = normalisePath(path);
  return process.platform === "win32" ? normal.toLowerCase() : normal;
}

function resolveLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
