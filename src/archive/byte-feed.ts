/** Byte feed: looks for marks in a file of any size, holding no more of it than the stretch that is being looked at. */

import type { FileHandle } from "./file-system.ts";

const CHUNK_BYTES = 512 * 1024;

export class ByteFeed {
  readonly #handle: FileHandle;
  #held: Buffer = Buffer.alloc(0);
  /** Place in the file of the first byte held. */
  #from = 0;
  #ended = false;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Place of the first occurrence of `mark` at or after `start`; -1 when there is none. */
  async find(mark: string, start: number): Promise<number> {
    for (let searched = start; ;) {
      const found = this.#held.indexOf(mark, Math.max(0, searched - this.#from));
      if (found !== -1) return this.#from + found;
      searched = Math.max(start, this.#from + this.#held.length - mark.length + 1);
      if (!(await this.#readMore())) return -1;
    }
  }

  /** The bytes from `start` on: all of them, or `length`, or as many as there are. */
  async bytes(start: number, length = Number.POSITIVE_INFINITY): Promise<Buffer> {
    while (this.#from + this.#held.length < start + length) {
      if (!(await this.#readMore())) break;
    }
    const begin = start - this.#from;
    return this.#held.subarray(begin, Number.isFinite(length) ? begin + length : undefined);
  }

  /** Lets go of everything before `place`, which is not asked for again. */
  release(place: number): void {
    this.#held = this.#held.subarray(Math.max(0, place - this.#from));
    this.#from = place;
  }

  async #readMore(): Promise<boolean> {
    if (this.#ended) return false;
    const chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, this.#held.length));
    const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, this.#from + this.#held.length);
    this.#ended = bytesRead === 0;
    this.#held = Buffer.concat([this.#held, chunk.subarray(0, bytesRead)]);
    return !this.#ended;
  }
}
