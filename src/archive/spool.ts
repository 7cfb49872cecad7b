/**
 * Spool: turns that are waiting to be written into their session's file. The first megabytes wait in memory, the rest in
 * a temporary file beside it, so that a session of any length passes through in little memory.
 */

import type { FileHandle, FileSystem } from "./file-system.ts";

/** Where one turn's bytes are. */
export type SpoolPlace =
  | { readonly kind: "memory"; readonly bytes: Buffer }
  | { readonly kind: "file"; readonly start: number; readonly end: number };

const MEMORY_BYTES = 2 * 1024 * 1024;

export class Spool {
  readonly #fileSystem: FileSystem;
  readonly #path: () => string;
  #file: { readonly handle: FileHandle; readonly path: string } | null = null;
  #inMemory = 0;
  #inFile = 0;

  /** @param path names the temporary file when it is needed */
  constructor(fileSystem: FileSystem, path: () => string) {
    this.#fileSystem = fileSystem;
    this.#path = path;
  }

  async add(bytes: Buffer): Promise<SpoolPlace> {
    if (this.#inMemory + bytes.length <= MEMORY_BYTES) {
      this.#inMemory += bytes.length;
      return { kind: "memory", bytes };
    }
    if (this.#file === null) {
      const path = this.#path();
      this.#file = { path, handle: await this.#fileSystem.open(path, "wx+", 0o600) };
    }
    const start = this.#inFile;
    await this.#file.handle.write(bytes, 0, bytes.length, start);
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
    await this.#fileSystem.rm(file.path, { force: true }).catch(() => undefined);
  }
}
