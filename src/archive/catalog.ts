/**
 * Catalog: what the archive's folder holds, session by session, without the turns. The folder is the truth: the catalog
 * is read from the files and read again where they changed, so other processes, people and git may change them too.
 * A file stands for the session it is named for; one that says inside that it is another's is a stray.
 */

import { join } from "node:path";

import { startTimeSlice } from "../runtime/time-slice.ts";
import type { Clock } from "../runtime/clock.ts";
import { isNameOf, isSessionFileName, sessionFileName } from "./file-layout.ts";
import { type FileHandle, type FileIdentity, type FileSystem, hasCode, identityOf, sameFile } from "./file-system.ts";
import { scanHeader } from "./session-file-scan.ts";
import type { SessionHeader } from "./session-file.ts";

export interface CatalogEntry {
  readonly fileName: string;
  readonly file: FileIdentity;
  readonly header: SessionHeader;
}

/** Files asked for at a time. */
const AT_ONCE = 32;

export class Catalog {
  readonly #fileSystem: FileSystem;
  readonly #clock: Clock;
  readonly #folder: string;
  /** By file name. */
  readonly #entries = new Map<string, CatalogEntry>();
  /** File names of sessions, by id. */
  readonly #names = new Map<string, string>();
  readonly #children = new Map<string, Set<string>>();
  /** Names in lower case, with the session that has each, also of files that are yet to be written. */
  readonly #taken = new Map<string, string>();

  constructor(folder: string, fileSystem: FileSystem, clock: Clock) {
    this.#folder = folder;
    this.#fileSystem = fileSystem;
    this.#clock = clock;
  }

  /** One for each session. */
  entries(): readonly CatalogEntry[] {
    return [...this.#names.values()].flatMap((name) => this.#entries.get(name) ?? []);
  }

  /** Sound files that stand for no session: copies, renamed ones, and those in which an id was changed. */
  strays(): readonly CatalogEntry[] {
    return [...this.#entries.values()].filter(({ fileName, header: { _id } }) => this.#names.get(_id) !== fileName);
  }

  get(sessionId: string): CatalogEntry | null {
    const name = this.#names.get(sessionId);
    return (name === undefined ? undefined : this.#entries.get(name)) ?? null;
  }

  /** Ids of the sessions whose parent this is, first started first. */
  childrenOf(sessionId: string): readonly string[] {
    const startedAt = (id: string) => this.get(id)?.header.startedAt ?? "";
    return [...(this.#children.get(sessionId) ?? [])].sort((one, other) =>
      startedAt(one) < startedAt(other) || (startedAt(one) === startedAt(other) && one < other) ? -1 : 1,
    );
  }

  /** Path of a session's file, which may not exist yet; the same one each time. */
  pathOf(sessionId: string): string {
    const known = this.#names.get(sessionId);
    if (known !== undefined) return join(this.#folder, known);
    const name = sessionFileName(sessionId, (lowerCaseName) => {
      const owner = this.#taken.get(lowerCaseName);
      return owner !== undefined && owner !== sessionId;
    });
    this.#taken.set(name.toLowerCase(), sessionId);
    return join(this.#folder, name);
  }

  set(entry: CatalogEntry): void {
    this.#forget(entry.fileName);
    const { _id, parentId } = entry.header;
    this.#entries.set(entry.fileName, entry);
    if (!isNameOf(entry.fileName, _id)) return;
    if (this.#names.has(_id) && entry.fileName !== `${_id}.json`) return;
    this.#names.set(_id, entry.fileName);
    this.#taken.set(entry.fileName.toLowerCase(), _id);
    if (parentId === null) return;
    const children = this.#children.get(parentId) ?? new Set();
    this.#children.set(parentId, children.add(_id));
  }

  /**
   * Compares with the folder, and reads the headers of files that are new or changed.
   * @returns names of the files in which no header could be read
   */
  async refresh(): Promise<{ readonly changed: boolean; readonly unreadable: readonly string[] }> {
    const slice = startTimeSlice(this.#clock);
    const names = await this.list();
    const unreadable: string[] = [];
    let changed = false;
    for (const { name, file } of await this.#identities(names)) {
      await slice.breathe();
      if (file === null || sameFile(file, this.#entries.get(name)?.file ?? null)) continue;
      const header = await this.#readHeader(name);
      if (header === null) unreadable.push(name);
      else this.set({ fileName: name, file, header });
      changed ||= header !== null;
    }
    const present = new Set(names);
    for (const name of this.#entries.keys()) {
      if (present.has(name)) continue;
      this.#forget(name);
      changed = true;
    }
    return { changed, unreadable };
  }

  /** Names of the session files there are now; none when there is no folder. */
  async list(): Promise<readonly string[]> {
    try {
      return (await this.#fileSystem.readdir(this.#folder)).filter((name) => isSessionFileName(name)).sort();
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP")) return [];
      throw error;
    }
  }

  async #identities(names: readonly string[]): Promise<{ name: string; file: FileIdentity | null }[]> {
    const found: { name: string; file: FileIdentity | null }[] = [];
    for (let start = 0; start < names.length; start += AT_ONCE) {
      const some = names.slice(start, start + AT_ONCE).map(async (name) => {
        return { name, file: await identityOf(this.#fileSystem, join(this.#folder, name)) };
      });
      found.push(...(await Promise.all(some)));
    }
    return found;
  }

  /** null also when the file may not be read, or went away: one file holds up no other. */
  async #readHeader(name: string): Promise<SessionHeader | null> {
    let handle: FileHandle | null = null;
    try {
      handle = await this.#fileSystem.open(join(this.#folder, name), "r");
      return await scanHeader(handle);
    } catch {
      return null;
    } finally {
      await handle?.close();
    }
  }

  #forget(fileName: string): void {
    const entry = this.#entries.get(fileName);
    if (entry === undefined) return;
    const { _id, parentId } = entry.header;
    this.#entries.delete(fileName);
    if (this.#names.get(_id) !== fileName) return;
    this.#names.delete(_id);
    if (parentId !== null) this.#children.get(parentId)?.delete(_id);
  }
}
