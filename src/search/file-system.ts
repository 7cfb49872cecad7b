/** File system: the little that a search asks of it, to understand paths that a person typed. */

import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

import { resolvePath } from "../session/file-path.ts";

export interface FileSystem {
  /** Absolute; what "~" stands for. */
  readonly homeDirectory: string;
  /**
   * The path with its links resolved as far as it exists; the path itself where nothing of it does. Never rejects.
   */
  realPath(path: string): Promise<string>;
}

/** The file system this process sees. */
export const systemFiles: FileSystem = { homeDirectory: homedir(), realPath: realPathOf };

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // A file that is gone may still lie in a directory that was reached through a link.
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}

/** The absolute form of a path as typed: from the home directory after "~", else from `directory`. */
export function expandHome(path: string, directory: string, files: FileSystem): string {
  return resolvePath(directory, withHome(path, files));
}

/** The path with a leading "~" replaced; relative paths stay relative. */
export function withHome(path: string, { homeDirectory }: FileSystem): string {
  return /^~(?=$|[\\/])/u.test(path) ? homeDirectory + path.slice(1) : path;
}
