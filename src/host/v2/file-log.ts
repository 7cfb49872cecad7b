/**
 * File log: our diagnostics on OpenCode 2.x, whose plugins are given no log of the host's. One private file beside the
 * index; the one before it is kept when it grows past its limit.
 */

import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";

import type { Clock } from "../../runtime/clock.ts";
import type { LogFields, Logger } from "../../runtime/logger.ts";

const LARGEST_BYTES = 1_000_000;
/** Lines waiting to be written; beyond that they are dropped, because a log must not become a leak. */
const MOST_WAITING = 1000;

/**
 * @param file absolute; the folder is made with the first line
 */
export function createFileLog(file: string, clock: Clock): Logger {
  let waiting: string[] = [];
  let writing = false;

  /** Writes until nothing waits. A failure to log is nobody's business, and there is no other place to say it. */
  async function flush(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        if ((await sizeOf(file)) > LARGEST_BYTES) await rename(file, `${file}.1`);
        await appendFile(file, lines.join(""), { mode: 0o600 });
      } catch {
        // Dropped.
      }
    }
    writing = false;
  }

  const write = (level: string, message: string, fields: LogFields = {}): void => {
    if (waiting.length >= MOST_WAITING) return;
    waiting.push(`${new Date(clock.now()).toISOString()} ${level} ${oneLine(message)}${formatted(fields)}\n`);
    if (!writing) void flush();
  };
  return {
    // Too much for a file that nobody asked for.
    debug() {},
    info: (message, fields) => write("INFO", message, fields),
    warn: (message, fields) => write("WARN", message, fields),
    error: (message, fields) => write("ERROR", message, fields),
  };
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/gu, " ");
}

function formatted(fields: LogFields): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
    .join("");
}
