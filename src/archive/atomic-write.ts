/**
 * Atomic write: a file is either what it was or what it was to become, also when the process is killed in between, the
 * disk fills up, or several processes write the same file.
 */

import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";

import type { Clock } from "../runtime/clock.ts";
import { type FileHandle, type FileIdentity, type FileSystem, hasCode } from "./file-system.ts";

/** Takes the bytes of a file that is being written. */
export interface ByteSink {
  /** Bytes written so far. */
  readonly position: number;
  /** Takes the bytes; once it has resolved they may be overwritten. */
  write(bytes: Uint8Array | string): Promise<void>;
}

export interface AtomicWriteOptions {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly path: string;
  content(sink: ByteSink): Promise<void>;
  /** Asked when all bytes are on disk, right before they take the file's place; false gives up. */
  mayReplace?(): Promise<boolean>;
}

/** Small writes are gathered into blocks of this size. */
const BLOCK_BYTES = 256 * 1024;
/** On Windows a file that a reader or a virus scanner holds cannot be replaced; they let go within moments. */
const HELD_CODES = ["EPERM", "EBUSY", "EACCES"] as const;
const LONGEST_HELD_MS = 2000;

/** `.<file>.<process id>-<random>.tmp`: a sibling, since a rename is atomic within one file system only. */
const TEMPORARY = /^\..+\.(\d+)-[0-9a-f]{16}\.tmp$/u;

export function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
}

/** The process that made a temporary file; null when the name is not one of ours. */
export function ownerOfTemporary(name: string): number | null {
  const owner = TEMPORARY.exec(name)?.[1];
  return owner === undefined ? null : Number(owner);
}

/**
 * Writes a file whole.
 * @returns the identity of the new file; null when `mayReplace` gave up
 * @throws what the file system rejects with; the file is then as it was, and nothing is left beside it
 */
export async function writeAtomically(options: AtomicWriteOptions): Promise<FileIdentity | null> {
  const { fileSystem, path, clock } = options;
  const temporary = temporaryPath(path);
  const handle = await fileSystem.open(temporary, "wx", 0o644);
  try {
    let identity: FileIdentity;
    try {
      const sink = new BlockSink(handle);
      await options.content(sink);
      await sink.flush();
      await handle.sync();
      const stats = await handle.stat();
      identity = { inode: stats.ino, size: stats.size, modifiedAt: stats.mtimeMs };
    } finally {
      await handle.close();
    }
    if (options.mayReplace !== undefined && !(await options.mayReplace())) {
      await fileSystem.rm(temporary, { force: true });
      return null;
    }
    await renameWhenFree(fileSystem, clock, temporary, path);
    await syncFolder(fileSystem, dirname(path));
    return identity;
  } catch (error) {
    await fileSystem.rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function renameWhenFree(fileSystem: FileSystem, clock: Clock, from: string, to: string): Promise<void> {
  for (let waited = 0, wait = 10; ; wait *= 2) {
    try {
      await fileSystem.rename(from, to);
      return;
    } catch (error) {
      if (!hasCode(error, ...HELD_CODES) || waited >= LONGEST_HELD_MS) throw error;
      await clock.sleep(wait);
      waited += wait;
    }
  }
}

/** Makes the new name itself durable, where folders can be synced; Windows and some network file systems cannot. */
async function syncFolder(fileSystem: FileSystem, folder: string): Promise<void> {
  let handle: FileHandle | null = null;
  try {
    handle = await fileSystem.open(folder, "r");
    await handle.sync();
  } catch {
    // The rename has happened; only its durability across a power cut is unknown.
  } finally {
    await handle?.close();
  }
}

class BlockSink implements ByteSink {
  readonly #handle: FileHandle;
  #blocks: Uint8Array[] = [];
  #waiting = 0;
  #position = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get position(): number {
    return this.#position;
  }

  async write(given: Uint8Array | string): Promise<void> {
    const bytes = typeof given === "string" ? Buffer.from(given) : given;
    const isFull = this.#waiting + bytes.length >= BLOCK_BYTES;
    this.#blocks.push(isFull || bytes !== given ? bytes : Buffer.from(bytes));
    this.#waiting += bytes.length;
    this.#position += bytes.length;
    if (isFull) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#waiting === 0) return;
    const bytes =
      this.#blocks.length === 1 && this.#blocks[0] !== undefined ? this.#blocks[0] : Buffer.concat(this.#blocks);
    this.#blocks = [];
    this.#waiting = 0;
    await this.#handle.appendFile(bytes);
  }
}
