/**
 * Own file: the file that a session is named for. It is read when it holds that session, mended when it is damaged, and
 * set aside when it holds something else and the session has to be written.
 */

import type { Clock } from "../runtime/clock.ts";
import { startTimeSlice } from "../runtime/time-slice.ts";
import type { Catalog } from "./catalog.ts";
import { type FileHandle, type FileIdentity, type FileSystem, identityOf, sameFile } from "./file-system.ts";
import { type FileState, repairSessionFile } from "./repair.ts";
import type { SessionHeader } from "./session-file.ts";
import { type ScannedFile, scanHeader, scanSessionFile } from "./session-file-scan.ts";

export interface OwnFileTools {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly catalog: Catalog;
  /** The session's file was checked because it could not be read, or stood in the way. */
  onDamage(sessionId: string, state: FileState): void;
}

export interface ReadFile {
  readonly scanned: ScannedFile;
  readonly file: FileIdentity;
}

export class OwnFile {
  readonly #sessionId: string;
  readonly #tools: OwnFileTools;

  constructor(sessionId: string, tools: OwnFileTools) {
    this.#sessionId = sessionId;
    this.#tools = tools;
  }

  get path(): string {
    return this.#tools.catalog.pathOf(this.#sessionId);
  }

  identity(): Promise<FileIdentity | null> {
    return identityOf(this.#tools.fileSystem, this.path);
  }

  /** Checks the file byte by byte, and mends it when it is damaged. */
  check(): Promise<FileState> {
    return repairSessionFile(this.path, this.#tools);
  }

  /** The file, mended if need be; null when there is none, or it does not hold this session. */
  async read(): Promise<ReadFile | null> {
    const read = await this.#readSound();
    if (read !== null || (await this.identity()) === null) return read;
    this.#tools.onDamage(this.#sessionId, await this.check());
    return this.#readSound();
  }

  /** As `read`; a file that does not hold this session makes room for one that does. */
  async readOrSetAside(): Promise<ReadFile | null> {
    const before = await this.identity();
    const read = await this.read();
    if (read === null && sameFile(before, await this.identity())) await this.#setAside();
    return read;
  }

  async #readSound(): Promise<ReadFile | null> {
    const file = await this.identity();
    if (file === null) return null;
    const scanned = await this.#open((handle) => scanSessionFile(handle, { slice: startTimeSlice(this.#tools.clock) }));
    return scanned !== null && idOf(scanned.header) === this.#sessionId ? { scanned, file } : null;
  }

  async #setAside(): Promise<void> {
    const header = await this.#open((handle) => scanHeader(handle));
    await this.#tools.fileSystem.rename(this.path, `${this.path}.damaged`);
    this.#tools.onDamage(this.#sessionId, { kind: "set-aside", holds: header === null ? null : idOf(header) });
  }

  async #open<Result>(use: (handle: FileHandle) => Promise<Result>): Promise<Result> {
    const handle = await this.#tools.fileSystem.open(this.path, "r");
    try {
      return await use(handle);
    } finally {
      await handle.close();
    }
  }
}

const idOf = ({ _id }: SessionHeader): string => _id;
