/**
 * Folder watch: keeps the catalog up with the folder. The folder is read before anything else, every file is checked once
 * in a process, and names and times are compared again now and then.
 */

import { basename } from "node:path";

import type { Clock } from "../runtime/clock.ts";
import type { ArchiveOutput } from "./archive-output.ts";
import type { ArchiveSessions } from "./archive-sessions.ts";
import type { Catalog } from "./catalog.ts";
import { type FileSystem, hasCode } from "./file-system.ts";
import { cleanLeftovers } from "./folder.ts";

export interface FolderWatchOptions {
  readonly folder: string;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly sessions: ArchiveSessions;
  readonly output: ArchiveOutput;
}

/** How the ids of sessions begin, in both hosts. */
const HOST_PREFIX = "ses";
/** The folder is compared with the catalog no more often than this. */
const COMPARE_MS = 2000;

export class FolderWatch {
  readonly #options: FolderWatchOptions;
  #ready: Promise<void> | null = null;
  #verified: Promise<void> | null = null;
  #comparedAt = Number.NEGATIVE_INFINITY;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  /**
   * Sees to it that the catalog knows the folder's files.
   * @returns false when the folder cannot be read, which is then told; the next call tries again
   */
  ready(): Promise<boolean> {
    return this.#told(() => this.#begun());
  }

  /** As `ready`; every file was checked once as well, and the catalog is of these seconds. */
  upToDate(): Promise<boolean> {
    return this.#told(async () => {
      await this.#begun();
      this.#verified ??= this.#verify().catch((error: unknown) => {
        this.#verified = null;
        throw error;
      });
      await this.#verified;
      await this.#compare();
    });
  }

  async #told(read: () => Promise<void>): Promise<boolean> {
    const { output } = this.#options;
    try {
      await read();
    } catch (error) {
      await output.reportUnreadable(error);
      return false;
    }
    output.noteReadable();
    return true;
  }

  #begun(): Promise<void> {
    this.#ready ??= this.#read().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  async #read(): Promise<void> {
    const { catalog, folder, fileSystem, output } = this.#options;
    const { changed, unreadable } = await catalog.refresh();
    if (!changed && unreadable.length === 0) return;
    await cleanLeftovers(folder, fileSystem, isRunning);
    output.requestManifest();
  }

  /** Reads every file to its end, latest sessions first. A file that cannot be checked holds up no other. */
  async #verify(): Promise<void> {
    const { catalog, sessions, output } = this.#options;
    const { unreadable } = await catalog.refresh();
    const entries = [...catalog.entries()];
    entries.sort((one, other) => (one.header.updatedAt > other.header.updatedAt ? -1 : 1));
    // What is not named as the host names sessions may be anybody's file, in a folder that a person chose.
    const ours = unreadable.filter((name) => name.startsWith(HOST_PREFIX));
    const ids = [...ours.map((name) => basename(name, ".json")), ...entries.map(({ header: { _id } }) => _id)];
    for (const id of ids) {
      try {
        output.reportDamage(id, await sessions.get(id).verify());
      } catch (error) {
        // A file that went away meanwhile is not damaged.
        if (!hasCode(error, "ENOENT", "ENOTDIR")) output.reportFailure(id, error);
      }
    }
    await catalog.refresh();
    // A copy of a file that is there is nobody's loss.
    for (const { fileName, header } of catalog.strays()) {
      const { _id } = header;
      if (catalog.get(_id) === null) output.reportStray(fileName, _id);
    }
  }

  async #compare(): Promise<void> {
    const { clock, catalog, output } = this.#options;
    if (clock.monotonic() - this.#comparedAt < COMPARE_MS) return;
    const { changed } = await catalog.refresh();
    this.#comparedAt = clock.monotonic();
    if (changed) output.requestManifest();
  }
}

/** Whether a process of this machine is alive; one that belongs to somebody else is. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}
