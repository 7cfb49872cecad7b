/**
 * Folder trouble: why nothing can be written into the archive's folder, whatever the file, in one sentence for the person
 * who can mend it.
 */

import { basename, dirname } from "node:path";

import { messageOf } from "../runtime/error-message.ts";
import { ownerOfTemporary } from "./atomic-write.ts";
import { type FileSystem, hasCode } from "./file-system.ts";
import { FolderOutsideError } from "./folder.ts";

/** No file of the folder can be written, or none be seen; the message is the sentence. */
export class FolderUnusableError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "FolderUnusableError";
  }
}

/** The trouble of one folder, from the first write that met it until all that did have been made. */
export class FolderTrouble {
  readonly #waiting = new Set<string>();
  #sentence: string | null = null;

  /** null when there is none. */
  get sentence(): string | null {
    return this.#sentence;
  }

  /**
   * The write of a key met it.
   * @returns whether that is news
   */
  note(key: string, sentence: string): boolean {
    const isNews = sentence !== this.#sentence;
    this.#waiting.add(key);
    this.#sentence = sentence;
    return isNews;
  }

  /**
   * The write of a key was made, or failed for another reason.
   * @returns whether it had met the trouble before
   */
  settle(key: string): boolean {
    const hadMet = this.#waiting.delete(key);
    if (this.#waiting.size === 0) this.#sentence = null;
    return hadMet;
  }
}

/** Whether a write that failed so would have failed for every file of the folder. */
export function concernsFolder(error: unknown): boolean {
  if (hasCode(error, "ENOSPC", "EDQUOT", "EROFS")) return true;
  // A file can also be refused alone; a new one beside it is the folder's to refuse.
  return hasCode(error, "EACCES", "EPERM") && isOfNewFile(error);
}

function isOfNewFile(error: unknown): boolean {
  if (!(error instanceof Error && "syscall" in error && "path" in error)) return false;
  return error.syscall === "open" && typeof error.path === "string" && ownerOfTemporary(basename(error.path)) !== null;
}

/** What is wrong with the folder and what to do, by what the file system rejected with and by what stands there. */
export async function describeTrouble(error: unknown, folder: string, fileSystem: FileSystem): Promise<string> {
  return `The archive cannot be written: ${await reasonOf(error, folder, fileSystem)}.`;
}

const ELSEWHERE = "name another folder in the option archive.directory";

async function reasonOf(error: unknown, folder: string, fileSystem: FileSystem): Promise<string> {
  if (error instanceof FolderOutsideError) {
    return (
      `its folder ${folder} is a link to ${error.target}, outside the worktree; name that folder in the option ` +
      `archive.directory if sessions should go there`
    );
  }
  if (hasCode(error, "ENOSPC")) return `the disk with ${folder} is full; make room on it`;
  if (hasCode(error, "EDQUOT")) return `the disk quota for ${folder} is used up; make room`;
  if (hasCode(error, "EROFS")) return `${folder} lies on a disk that may only be read; ${ELSEWHERE}`;
  const { path, kind } = await nearest(folder, fileSystem);
  if (kind === "file") return `a file stands at ${path}, where a folder should be; move the file away`;
  if (kind === "dead-link") return `${path} is a link that leads nowhere; remove it, or make the folder it names`;
  if (hasCode(error, "EACCES", "EPERM"))
    return `${path} may not be read and written; change its permissions, or ${ELSEWHERE}`;
  return `its folder ${folder} cannot be used (${codeOf(error)})`;
}

/** One cause has many messages, by the call that met it. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : messageOf(error);
}

interface Standing {
  readonly path: string;
  readonly kind: "folder" | "file" | "dead-link";
}

/** What stands at the folder's path, or at the nearest one above it at which anything can be seen. */
async function nearest(folder: string, fileSystem: FileSystem): Promise<Standing> {
  for (let path = folder; ; path = dirname(path)) {
    const kind = await kindOf(path, fileSystem);
    if (kind !== null) return { path, kind };
    if (dirname(path) === path) return { path, kind: "folder" };
  }
}

/** null when nothing can be seen there. */
async function kindOf(path: string, fileSystem: FileSystem): Promise<Standing["kind"] | null> {
  try {
    const stats = await fileSystem.lstat(path);
    if (!stats.isSymbolicLink()) return stats.isDirectory() ? "folder" : "file";
  } catch {
    return null;
  }
  try {
    return (await fileSystem.lstat(await fileSystem.realpath(path))).isDirectory() ? "folder" : "file";
  } catch (error) {
    return hasCode(error, "ENOENT", "ENOTDIR", "ELOOP") ? "dead-link" : "folder";
  }
}
