/** Index folder: the files of an index on disk, readable by nobody but their owner. */

import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";

/** What SQLite keeps beside a database file. */
const COMPANIONS = ["-wal", "-shm", "-journal"];

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * File systems on other machines, or behind another system's kernel, by the number that Linux gives them (statfs(2)):
 * a write-ahead log needs memory shared among all its users, which these do not offer.
 */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9P"],
  [0x65735546, "FUSE"],
  [0x5346414f, "AFS"],
  [0x73757245, "Coda"],
  [0x564c, "NCP"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x786f4256, "VirtualBox shared folder"],
]);

/** What this product keeps in the folder: the index with its companions, its lock, the log that hosts without one need. */
const OURS = /^(?:index-v\d|opening\.lock|history-search\.log)/u;

/**
 * Makes the folder, private. One in which other things lie too keeps its mode: somebody may need to read those, and our
 * files are private all the same.
 * @throws the file system's error
 */
export function prepareFolder(directory: string): void {
  const made = mkdirSync(directory, { recursive: true, mode: FOLDER_MODE });
  if (made !== undefined || readdirSync(directory).every((name) => OURS.test(name))) tighten(directory, FOLDER_MODE);
}

/**
 * Makes the file when there is none, and private in any case. SQLite gives its companions the same mode.
 * @throws the file system's error
 */
export function prepareFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    // What an earlier file of that name left beside it, somebody may still be reading: the new file gets its own.
    for (const suffix of COMPANIONS) rmSync(`${path}${suffix}`, { force: true });
    // Only a file that is not there is opened: closing one lets go of every lock that this process has on it.
    closeSync(openSync(path, "a", FILE_MODE));
  }
  for (const suffix of ["", ...COMPANIONS]) tighten(`${path}${suffix}`, FILE_MODE);
}

function tighten(path: string, mode: number): void {
  try {
    if ((statSync(path).mode & 0o777) !== mode) chmodSync(path, mode);
  } catch {
    // Not there, or on a file system without modes.
  }
}

/** Which file stands at a path, for telling whether it is still the one that was opened; null when none does. */
export function fileIdentity(path: string): string | null {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

/** The number of the file system a folder lies on; null where the system does not say. */
export function fileSystemType(directory: string): number | null {
  // Elsewhere the numbers mean something else.
  if (process.platform !== "linux") return null;
  try {
    return statfsSync(directory).type;
  } catch {
    return null;
  }
}

/** The name of a network file system; null for a local one, or an unknown one. */
export function networkFileSystem(type: number | null): string | null {
  return type === null ? null : (NETWORK_FILE_SYSTEMS.get(type) ?? null);
}

/**
 * Brings the write-ahead log to the disk without blocking anybody, so that a checkpoint after it, which does block,
 * finds that half of its work done. Safe beside SQLite: it takes its locks on the other files.
 */
export async function flushLog(path: string): Promise<void> {
  try {
    const log = await open(`${path}-wal`, "r+");
    try {
      await log.datasync();
    } finally {
      await log.close();
    }
  } catch {
    // There may be no log; and whatever else is wrong, SQLite will say better.
  }
}

/** Renames a file that is no sound database out of the way, with what SQLite kept beside it. One such is kept. */
export function setAside(path: string): void {
  const aside = `${path}.damaged`;
  // The log goes first: between the renames, nobody may find it beside a new file.
  for (const suffix of [...COMPANIONS, ""]) {
    rmSync(`${aside}${suffix}`, { force: true });
    if (statSync(`${path}${suffix}`, { throwIfNoEntry: false }) === undefined) continue;
    renameSync(`${path}${suffix}`, `${aside}${suffix}`);
  }
}
