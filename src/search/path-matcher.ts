/** Path matcher: which stored paths `path:` means, also when a project was opened through a link. */

import { fileName, isAbsolutePath, matchesPath } from "../session/file-path.ts";
import { type FileSystem, withHome } from "./file-system.ts";

export interface PathMatcher {
  /** Last segments, lower-cased, that a matching path can have: the way into the index. */
  readonly names: readonly string[];
  /** @param stored absolute and normalised */
  matches(stored: string): Promise<boolean>;
}

/** Relative paths match from the right; absolute ones whole, by the name they are stored under or their real one. */
export async function createPathMatcher(asked: string, files: FileSystem): Promise<PathMatcher> {
  const path = withHome(asked, files);
  if (!isAbsolutePath(path)) {
    return { names: [fileName(path)], matches: (stored) => Promise.resolve(matchesPath(stored, path)) };
  }
  const real = await files.realPath(path);
  // Links are resolved once a directory: many stored paths share one.
  const directories = new Map<string, Promise<string>>();
  const realPath = async (stored: string): Promise<string> => {
    const slash = stored.lastIndexOf("/");
    const directory = stored.slice(0, slash);
    const found = directories.get(directory) ?? files.realPath(directory);
    directories.set(directory, found);
    return (await found) + stored.slice(slash);
  };
  return {
    names: [...new Set([fileName(path), fileName(real)])],
    async matches(stored) {
      if (matchesPath(stored, path) || matchesPath(stored, real)) return true;
      return matchesPath(await realPath(stored), real);
    },
  };
}
