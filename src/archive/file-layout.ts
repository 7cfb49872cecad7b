/**
 * File layout: where the archive lies, and under which name a session is kept there. No session id leads out of the
 * folder or onto another file, whatever it looks like.
 */

import { createHash } from "node:crypto";
import { join, parse, resolve } from "node:path";

import { expandHome } from "../runtime/home-path.ts";

/** Names in the archive's folder that are not sessions. */
export const INDEX_FILE = "index.json";
export const LOG_FILE = "sync-errors.log";

export interface ArchivePlace {
  /** The worktree that is archived, or the directory itself where there is none. */
  readonly root: string;
  /** Absolute folder of the session files. */
  readonly folder: string;
}

/**
 * Where the archive of a worktree lies.
 * @param directory the directory that the host opened
 * @param worktree root of its git worktree; null where there is none
 * @param configured the option `archive.directory`; relative paths start at the root
 * @param home the person's home directory
 * @returns null when the root is the home directory or a file system's root, where no archive belongs
 */
export function archivePlace(
  directory: string,
  worktree: string | null,
  configured: string | null,
  home: string,
): ArchivePlace | null {
  const root = resolve(worktree ?? directory);
  const folder =
    configured === null ? join(root, ".opencode", "sessions") : resolve(root, expandHome(configured, home));
  const forbidden = (path: string) => path === parse(path).root || path === resolve(home);
  return forbidden(folder) || (configured === null && forbidden(root)) ? null : { root, folder };
}

/** What the hosts' ids are made of, at a length that every file system can hold. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,119}$/u;
/** Devices of Windows, whatever their extension, and our own files. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|index)$/iu;

const hashOf = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 12);

/**
 * File name for a session.
 * @param taken tells whether a name, in lower case, belongs to another session: ids that differ only in case would meet
 *   in one file on macOS and Windows
 */
export function sessionFileName(id: string, taken: (lowerCaseName: string) => boolean): string {
  const name = `${id}.json`;
  return isPlain(id) && !taken(name.toLowerCase()) ? name : hashedName(id);
}

/** Whether a session is kept under this name, and under no other session's: a file's name says whose it is. */
export function isNameOf(name: string, id: string): boolean {
  return (isPlain(id) && name === `${id}.json`) || name === hashedName(id);
}

const isPlain = (id: string): boolean => PLAIN_ID.test(id) && !RESERVED.test(id);

function hashedName(id: string): string {
  const readable = id.replaceAll(/[^A-Za-z0-9_-]+/gu, "_").slice(0, 80);
  return `${readable}-${hashOf(id)}.json`;
}

/** Whether a name in the folder can be a session's. */
export function isSessionFileName(name: string): boolean {
  return name.endsWith(".json") && name !== INDEX_FILE && !name.startsWith(".");
}
