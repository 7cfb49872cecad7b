/** File system: the calls of node:fs/promises that the archive makes, passed in so that tests can fill the disk. */

import * as fs from "node:fs/promises";

export type FileSystem = Pick<
  typeof fs,
  | "access"
  | "appendFile"
  | "copyFile"
  | "lstat"
  | "mkdir"
  | "open"
  | "readFile"
  | "readdir"
  | "realpath"
  | "rename"
  | "rm"
>;

export type FileHandle = fs.FileHandle;

export const nodeFileSystem: FileSystem = fs;

/** What tells one version of a file from another without reading it. */
export interface FileIdentity {
  readonly inode: number;
  readonly size: number;
  readonly modifiedAt: number;
}

export function sameFile(one: FileIdentity | null, other: FileIdentity | null): boolean {
  return (
    one !== null &&
    other !== null &&
    one.inode === other.inode &&
    one.size === other.size &&
    one.modifiedAt === other.modifiedAt
  );
}

/**
 * Identity of the regular file at a path; null where there is none. A symbolic link is no file of ours: it could lead
 * out of the folder.
 */
export async function identityOf(fileSystem: FileSystem, path: string): Promise<FileIdentity | null> {
  try {
    const stats = await fileSystem.lstat(path);
    return stats.isFile() ? { inode: stats.ino, size: stats.size, modifiedAt: stats.mtimeMs } : null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return null;
    throw error;
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code);
}
