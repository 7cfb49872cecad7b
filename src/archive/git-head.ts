/** Git head: branch and commit of a worktree, read from git's own files, since a process for each session would be felt. */

import { isAbsolute, join, resolve } from "node:path";

import type { FileSystem } from "./file-system.ts";

export interface GitHead {
  /** null when no branch is checked out. */
  readonly branch: string | null;
  /** null before the first commit. */
  readonly commit: string | null;
}

/** @returns null when `root` is not the root of a worktree, or its files cannot be read */
export async function readGitHead(fileSystem: FileSystem, root: string): Promise<GitHead | null> {
  try {
    const gitFolder = await findGitFolder(fileSystem, root);
    const head = (await fileSystem.readFile(join(gitFolder, "HEAD"), "utf8")).trim();
    const reference = /^ref: (?<name>.+)$/u.exec(head)?.groups?.["name"];
    if (reference === undefined) return { branch: null, commit: asCommit(head) };
    const branch = reference.replace(/^refs\/heads\//u, "");
    return { branch, commit: await readReference(fileSystem, gitFolder, reference) };
  } catch {
    return null;
  }
}

/** In a linked worktree `.git` is a file that names the folder. */
async function findGitFolder(fileSystem: FileSystem, root: string): Promise<string> {
  const path = join(root, ".git");
  const stats = await fileSystem.lstat(path);
  if (stats.isDirectory()) return path;
  const target = /^gitdir: (?<path>.+)$/mu.exec(await fileSystem.readFile(path, "utf8"))?.groups?.["path"];
  if (target === undefined) throw new Error(`${path} does not name git's folder`);
  return isAbsolute(target) ? target : resolve(root, target);
}

async function readReference(fileSystem: FileSystem, gitFolder: string, reference: string): Promise<string | null> {
  const shared = await readOrNull(fileSystem, join(gitFolder, "commondir"));
  const folders = shared === null ? [gitFolder] : [gitFolder, resolve(gitFolder, shared.trim())];
  for (const folder of folders) {
    const loose = asCommit((await readOrNull(fileSystem, join(folder, ...reference.split("/")))) ?? "");
    if (loose !== null) return loose;
    const packed = await readOrNull(fileSystem, join(folder, "packed-refs"));
    const line = packed?.split("\n").find((candidate) => candidate.endsWith(` ${reference}`));
    if (line !== undefined) return asCommit(line.split(" ")[0] ?? "");
  }
  return null;
}

async function readOrNull(fileSystem: FileSystem, path: string): Promise<string | null> {
  try {
    return await fileSystem.readFile(path, "utf8");
  } catch {
    return null;
  }
}

const asCommit = (text: string): string | null => (/^[0-9a-f]{40,64}$/u.test(text.trim()) ? text.trim() : null);
