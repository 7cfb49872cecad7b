/** Error log: `sync-errors.log` in the archive's folder, one line for each failure or damage, for the people who own it. */

import { join } from "node:path";

import type { Masker } from "../redact/mask.ts";
import type { Clock } from "../runtime/clock.ts";
import { LOG_FILE } from "./file-layout.ts";
import { type FileSystem, identityOf } from "./file-system.ts";

/** At this size the log becomes `sync-errors.log.1`, and the one before that is dropped. */
export const LARGEST_LOG_BYTES = 1024 * 1024;
const LONGEST_LINE = 2000;
/** Lines that may wait, should the disk be full. */
const MOST_WAITING = 200;

export interface ErrorLogOptions {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly masker: Masker;
  readonly folder: string;
}

export class ErrorLog {
  readonly #options: ErrorLogOptions;
  #waiting: string[] = [];

  constructor(options: ErrorLogOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Notes a line for the next `write`. */
  note(subject: string, message: string): void {
    const { clock, masker } = this.#options;
    if (this.#waiting.length >= MOST_WAITING) return;
    const line = masker.mask(`${subject}: ${message}`.slice(0, LONGEST_LINE)).text;
    this.#waiting.push(`${new Date(clock.now()).toISOString()} ${escapeLine(line)}\n`);
  }

  /** @throws what the file system rejects with; the lines are then kept for the next time */
  async write(): Promise<void> {
    const { fileSystem, folder } = this.#options;
    const path = join(folder, LOG_FILE);
    const lines = this.#waiting;
    if (lines.length === 0) return;
    const file = await identityOf(fileSystem, path);
    if (file !== null && file.size >= LARGEST_LOG_BYTES) await fileSystem.rename(path, `${path}.1`);
    this.#waiting = [];
    try {
      await fileSystem.appendFile(path, lines.join(""), { mode: 0o644 });
    } catch (error) {
      this.#waiting = [...lines, ...this.#waiting].slice(0, MOST_WAITING);
      throw error;
    }
  }
}

/** One line stays one line, in every program that shows it. */
function escapeLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (character) =>
    character === "\n"
      ? String.raw`\n`
      : String.raw`\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
