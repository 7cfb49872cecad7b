/** File watch: whether another file, or none, stands where the opened one was. */

import type { Clock } from "../runtime/clock.ts";
import type { IndexFile } from "./index-file.ts";
import { fileIdentity } from "./index-folder.ts";

/** Milliseconds between two looks: each costs a system call. */
const CHECK_MS = 500;

export class FileWatch {
  readonly #clock: Clock;
  #checkedAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The next look is made at once. */
  lookAgain(): void {
    this.#checkedAt = -Infinity;
  }

  /** What was seen to be replaced is looked at again at once; else the answer may be half a second old. */
  isReplaced({ path, identity }: IndexFile): boolean {
    const now = this.#clock.monotonic();
    if (path === null || now - this.#checkedAt < CHECK_MS) return false;
    this.#checkedAt = now;
    if (fileIdentity(path) === identity) return false;
    this.lookAgain();
    return true;
  }
}
