/** Running sync: an index on disk, a generated host and a sync between them, for the benchmarks of sync. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import type { SearchIndex } from "../../src/search-index/search-index.ts";
import { openSearchIndex } from "../../src/search-index/search-index.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import type { Attachment, Sync } from "../../src/sync/sync.ts";
import { createSync } from "../../src/sync/sync.ts";
import type { SessionPlan } from "./generated-host.ts";
import { GeneratedHost } from "./generated-host.ts";

export interface Running {
  readonly host: GeneratedHost;
  readonly index: SearchIndex;
  readonly sync: Sync;
  readonly attachment: Attachment;
  end(): Promise<void>;
}

export async function startRunning(directory: string, plans: readonly SessionPlan[]): Promise<Running> {
  const driver = await loadDriver();
  const index = await openSearchIndex({ directory, driver, clock: systemClock, log: silentLogger });
  const host = new GeneratedHost(systemClock, plans, { latency: true });
  const sync = createSync({ clock: systemClock });
  const attachment = sync.attach(host, [index]);
  return {
    host,
    index,
    sync,
    attachment,
    async end() {
      await attachment.detach();
      await sync.stop();
      await index.close();
    },
  };
}

/** Waits for the end of the first backfill. */
export async function untilDone(sync: Sync): Promise<void> {
  while (sync.progress().first !== "done") await systemClock.sleep(20);
}

export interface LoopDelay {
  /** Milliseconds. */
  readonly p99: number;
  readonly max: number;
}

/** How late the event loop came while something was under way. */
export async function delayWhile(work: Promise<unknown>): Promise<LoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  await work;
  histogram.disable();
  return { p99: histogram.percentile(99) / 1e6, max: histogram.max / 1e6 };
}

export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
}

/** Does work whose timers do not keep a process alive. */
export async function keptAlive<T>(work: () => Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 1000);
  try {
    return await work();
  } finally {
    clearInterval(alive);
  }
}
