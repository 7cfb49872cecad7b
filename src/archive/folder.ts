/** Folder: the archive's folder, made when the first file is written, which hides itself from git and from search tools. */

import { join, relative, isAbsolute } from "node:path";

import { ownerOfTemporary } from "./atomic-write.ts";
import type { ArchivePlace } from "./file-layout.ts";
import { type FileSystem, hasCode } from "./file-system.ts";

/**
 * Without it the host counts what is written here during a turn as the agent's edits, and takes it back on a revert.
 */
const GIT_IGNORE = "*\n";
/** ripgrep and others read it where there is no git, too: an agent's grep must not find old conversations. */
const SEARCH_IGNORE = "*\n";

/** The folder leads out of the worktree, and nobody asked for that. */
export class FolderOutsideError extends Error {
  readonly target: string;

  constructor(folder: string, target: string) {
    super(`The archive's folder ${folder} is a link to ${target}, outside the worktree.`);
    this.name = "FolderOutsideError";
    this.target = target;
  }
}

export interface FolderOptions {
  readonly place: ArchivePlace;
  readonly fileSystem: FileSystem;
  /** Whether the folder hides itself from git. */
  readonly gitignore: boolean;
  /** Whether a person named the folder: it may then lie anywhere. */
  readonly configured: boolean;
}

/**
 * Makes the folder with its ignore files; those of a person are left as they are.
 * @throws FolderOutsideError, or what the file system rejects with
 */
export async function prepareFolder({ place, fileSystem, gitignore, configured }: FolderOptions): Promise<void> {
  const { folder, root } = place;
  await fileSystem.mkdir(folder, { recursive: true });
  if (!configured) {
    const target = await fileSystem.realpath(folder);
    if (!isWithin(await fileSystem.realpath(root), target)) throw new FolderOutsideError(folder, target);
  }
  await writeNew(fileSystem, join(folder, ".ignore"), SEARCH_IGNORE);
  const gitIgnorePath = join(folder, ".gitignore");
  if (gitignore) await writeNew(fileSystem, gitIgnorePath, GIT_IGNORE);
  else if ((await readOrNull(fileSystem, gitIgnorePath)) === GIT_IGNORE) await fileSystem.rm(gitIgnorePath);
}

/**
 * Removes temporary files whose process is gone, as far as that is allowed: they are in nobody's way.
 * @param isRunning tells whether a process of this machine is alive
 */
export async function cleanLeftovers(
  folder: string,
  fileSystem: FileSystem,
  isRunning: (processId: number) => boolean,
): Promise<void> {
  for (const name of await fileSystem.readdir(folder).catch(() => [])) {
    const owner = ownerOfTemporary(name);
    if (owner !== null && !isRunning(owner)) {
      await fileSystem.rm(join(folder, name), { force: true }).catch(() => undefined);
    }
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way.split(/[\\/]/u)[0] !== ".." && !isAbsolute(way);
}

async function writeNew(fileSystem: FileSystem, path: string, text: string): Promise<void> {
  try {
    const handle = await fileSystem.open(path, "wx", 0o644);
    try {
      await handle.writeFile(text);
    } catch (error) {
      // Empty, it would pass for a person's own.
      await fileSystem.rm(path, { force: true }).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

async function readOrNull(fileSystem: FileSystem, path: string): Promise<string | null> {
  try {
    return await fileSystem.readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
