/**
 * Spool: turns that are waiting to be written into their session's file. The first megabytes wait in memory, the rest in
 * a temporary file, so that a session of any length passes through in little memory.
 */

import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { FileHandle, FileSystem } from "./file-system.ts";

/** Where one turn's bytes are. */
export type SpoolPlace =
  | { readonly kind: "memory"; readonly bytes: Buffer }
  | { readonly kind: "file"; readonly start: number; readonly end: number };

const MEMORY_BYTES = 2 * 1024 * 1024;

export class Spool {
  readonly #fileSystem: FileSystem;
  #file: { readonly handle: FileHandle; readonly path: string } | null = null;
  #inMemory = 0;
  #inFile = 0;

  constructor(fileSystem: FileSystem) {
    this.#fileSystem = fileSystem;
  }

  async add(bytes: Buffer): Promise<SpoolPlace> {
    if (this.#inMemory + bytes.length <= MEMORY_BYTES) {
      this.#inMemory += bytes.length;
      return { kind: "memory", bytes };
    }
    const { handle } = (this.#file ??= await this.#open());
    const start = this.#inFile;
    await handle.write(bytes, 0, bytes.length, start);
    this.#inFile = start + bytes.length;
    return { kind: "file", start, end: this.#inFile };
  }

  async read(place: SpoolPlace): Promise<Buffer> {
    if (place.kind === "memory") return place.bytes;
    if (this.#file === null) throw new Error("The spool was emptied before its turns were written.");
    const bytes = Buffer.allocUnsafe(place.end - place.start);
    await this.#file.handle.read(bytes, 0, bytes.length, place.start);
    return bytes;
  }

  /** Forgets everything. Never rejects. */
  async clear(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    this.#inMemory = 0;
    this.#inFile = 0;
    if (file === null) return;
    await file.handle.close().catch(() => undefined);
    await this.#remove(file.path);
  }

  /**
   * Not beside the session's file: while a turn is under way, what appears in the worktree counts as the agent's edit.
   * The name is taken away at once, so that nothing is left behind by a process that is killed; systems that cannot do
   * that remove the file later.
   */
  async #open(): Promise<{ readonly handle: FileHandle; readonly path: string }> {
    const path = join(tmpdir(), `opencode-history-${randomBytes(8).toString("hex")}.spool`);
    const handle = await this.#fileSystem.open(path, "wx+", 0o600);
    await this.#remove(path);
    return { handle, path };
  }

  async #remove(path: string): Promise<void> {
    await this.#fileSystem.rm(path, { force: true }).catch(() => undefined);
  }
}
