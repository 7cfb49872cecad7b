/** Surroundings: what this adapter takes from the process around it, passed in so that tests can build another one. */

import { join } from "node:path";

import type { Clock } from "../../runtime/clock.ts";
import { dataFolder } from "../../runtime/data-folder.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createFileLog } from "./file-log.ts";
import { type Fetch, loopbackFetch } from "./loopback-fetch.ts";
import { stateFolder } from "./registration.ts";
import { processRegistry, type Registry } from "./shared-process.ts";

export interface Surroundings {
  readonly log: Logger;
  readonly fetch: Fetch;
  readonly pid: number;
  /** Where OpenCode services register. */
  readonly stateFolder: string;
  /** The directory to fall back on where the host names no location. */
  readonly workingDirectory: string;
  readonly registry: Registry;
  readonly isAlive: (pid: number) => boolean;
}

export function processSurroundings(clock: Clock): Surroundings {
  return {
    log: createFileLog(join(dataFolder(), "history-search", "history-search.log"), clock),
    fetch: loopbackFetch,
    pid: process.pid,
    stateFolder: stateFolder(process.env),
    workingDirectory: process.cwd(),
    registry: processRegistry(),
    isAlive,
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process exists as well.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
