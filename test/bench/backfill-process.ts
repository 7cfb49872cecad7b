/**
 * Backfill process: one measurement of `bench sync` in a process of its own, so that its memory is nobody else's.
 *
 * Arguments: "fill" or "rest", the folder of the index, the number of messages. "fill" indexes them all; "rest" starts
 * on what "fill" left, as a host does on any other day. Prints one line of JSON.
 */

import { systemClock } from "../../src/runtime/clock.ts";
import { planSessions } from "./generated-host.ts";
import { collectGarbage, delayWhile, keptAlive, startRunning, untilDone } from "./running-sync.ts";

export interface FillFigures {
  readonly seconds: number;
  readonly idleP99: number;
  readonly idleMax: number;
  readonly busyP99: number;
  readonly busyMax: number;
  /** Bytes of resident memory above the start. */
  readonly peakBytes: number;
  /** UTF-16 units of text read from the host. */
  readonly text: number;
}

export interface RestFigures {
  readonly restBytes: number;
  readonly heapBytes: number;
}

const [task, directory = "", count = "0"] = process.argv.slice(2);
const plans = planSessions(Number(count));

async function fill(): Promise<FillFigures> {
  collectGarbage();
  const before = process.memoryUsage.rss();
  const idle = await delayWhile(systemClock.sleep(1000));
  let peak = 0;
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const running = await startRunning(directory, plans);
  const began = performance.now();
  const busy = await delayWhile(untilDone(running.sync));
  const seconds = (performance.now() - began) / 1000;
  clearInterval(sampler);
  const { indexedSessions } = running.index.coverage();
  const text = running.host.handedOut;
  await running.end();
  if (indexedSessions !== plans.length) throw new Error(`Of ${plans.length} sessions ${indexedSessions} are indexed.`);
  const [idleP99, idleMax, busyP99, busyMax] = [idle.p99, idle.max, busy.p99, busy.max];
  return { seconds, idleP99, idleMax, busyP99, busyMax, peakBytes: peak - before, text };
}

async function rest(): Promise<RestFigures> {
  collectGarbage();
  const before = process.memoryUsage();
  const running = await startRunning(directory, plans);
  await untilDone(running.sync);
  if (running.host.calls > Math.ceil(plans.length / 1000)) throw new Error("What was indexed is read again.");
  collectGarbage();
  await systemClock.sleep(1000);
  collectGarbage();
  const after = process.memoryUsage();
  await running.end();
  return { restBytes: after.rss - before.rss, heapBytes: after.heapUsed - before.heapUsed };
}

process.stdout.write(`${JSON.stringify(await keptAlive<FillFigures | RestFigures>(task === "fill" ? fill : rest))}\n`);
