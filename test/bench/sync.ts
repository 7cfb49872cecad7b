/** Bench sync: what keeping the index current costs, beside a design that reads and writes a whole session each time. */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";

import { parseQuery } from "../../src/query/parser.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { createHistorySearch } from "../../src/search/history-search.ts";
import { messageDigest } from "../../src/session/fingerprint.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { BUILT_AT } from "../support/builders.ts";
import type { FillFigures, RestFigures } from "./backfill-process.ts";
import type { SessionPlan } from "./generated-host.ts";
import type { BenchReport, Figure } from "./report.ts";
import { measureRealHost } from "./real-host-sync.ts";
import type { Running } from "./running-sync.ts";
import { keptAlive, startRunning, untilDone } from "./running-sync.ts";

const MIB = 2 ** 20;
const REAL_MESSAGES = 5000;
const SIZES = [100, 1000, 10_000] as const;

/**
 * @param args `--messages N` in the backfill (20,000 when absent), `--turns N` that are waited for (20), `--host fake`
 *   to leave the real host out
 */
export async function run(args: readonly string[]): Promise<BenchReport> {
  const { values } = parseArgs({
    args: [...args],
    options: { messages: { type: "string" }, turns: { type: "string" }, host: { type: "string" } },
    strict: false,
  });
  const messages = Number(values["messages"] ?? 20_000);
  const turns = Number(values["turns"] ?? 20);
  // The product's timers do not keep a process alive.
  return keptAlive(() => measure(messages, turns, values["host"] !== "fake"));
}

async function measure(messages: number, turns: number, withReal: boolean): Promise<BenchReport> {
  const { name, sqliteVersion } = await loadDriver();
  const figures = [...(await measureBackfill(messages)), ...(await measureFindable(turns))];
  const refreshes: Refreshes[] = [];
  for (const size of SIZES) refreshes.push(await measureRefresh(size));
  figures.push(...refreshFigures(refreshes));
  if (withReal) figures.push(...(await measureRealHost(REAL_MESSAGES, turns)));
  return {
    name: "sync",
    notes: [
      `Backfill of ${messages.toLocaleString("en")} generated messages; ${name}, SQLite ${sqliteVersion}, on disk.`,
      "The host is a fake one that takes as long as OpenCode 1.18.34 was measured to, without using the processor for it.",
      "Event-loop delay is what the backfill adds to the same figure of an idle second before it.",
      "The baseline reads the whole session again and writes every message again, as a design without digests does.",
      withReal
        ? `The real host is OpenCode 1.18 with the built plugin and ${REAL_MESSAGES.toLocaleString("en")} messages; how late it answers includes its own work of giving them.`
        : "The real host was left out.",
    ],
    figures,
  };
}

async function measureBackfill(messages: number): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), "history-bench-"));
  try {
    const fill = await measureApart("fill", directory, messages);
    const rest = await measureApart("rest", directory, messages);
    return backfillFigures(messages, fill, rest);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Measures in a process of its own. Its one line of JSON holds numbers only. */
async function measureApart(task: string, directory: string, messages: number): Promise<(key: string) => number> {
  const entry = ["scripts/run.mjs", "test/bench/backfill-process.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, [...entry, task, directory, String(messages)]);
  const figures: unknown = JSON.parse(stdout);
  const values = new Map<string, unknown>(Object.entries(figures ?? {}));
  return (key) => {
    const value = values.get(key);
    if (typeof value !== "number") throw new Error(`The process that measures "${task}" did not give ${key}.`);
    return value;
  };
}

function backfillFigures(
  messages: number,
  fill: (key: keyof FillFigures) => number,
  rest: (key: keyof RestFigures) => number,
): Figure[] {
  const seconds = fill("seconds");
  return [
    { key: "backfill.messages-per-second", label: "Backfill speed", value: messages / seconds, unit: "messages/s" },
    { key: "backfill.text-speed", label: "Backfill speed, text", value: fill("text") / 1e6 / seconds, unit: "MB/s" },
    { key: "backfill.seconds", label: "Backfill duration", value: seconds, unit: "s" },
    {
      key: "backfill.loop-delay-p99",
      label: "Event-loop delay added, p99",
      value: Math.max(0, fill("busyP99") - fill("idleP99")),
      unit: "ms",
      bound: { limit: 20, kind: "max" },
    },
    {
      key: "backfill.loop-delay-max",
      label: "Event-loop delay added, max",
      value: Math.max(0, fill("busyMax") - fill("idleMax")),
      unit: "ms",
      bound: { limit: 100, kind: "max" },
    },
    {
      key: "backfill.memory-peak",
      label: "Memory added, peak",
      value: fill("peakBytes") / MIB,
      unit: "MiB",
      bound: { limit: 150, kind: "max" },
    },
    {
      key: "rest.memory",
      label: "Memory added, at rest",
      value: rest("restBytes") / MIB,
      unit: "MiB",
      bound: { limit: 20, kind: "max" },
    },
    { key: "rest.heap", label: "JavaScript heap of it", value: rest("heapBytes") / MIB, unit: "MiB" },
  ];
}

/** From the last event of a turn until a search finds its answer. */
async function measureFindable(turns: number): Promise<Figure[]> {
  const plan = { id: "ses_live", messages: 300, startedAt: BUILT_AT };
  const waits = await withRunning(plan, (running) => waitForTurns(running, turns));
  waits.sort((one, other) => one - other);
  return [
    { key: "findable.p50", label: "Finished turn findable, p50", value: quantile(waits, 0.5), unit: "ms" },
    {
      key: "findable.p95",
      label: "Finished turn findable, p95",
      value: quantile(waits, 0.95),
      unit: "ms",
      bound: { limit: 1500, kind: "max" },
    },
  ];
}

async function waitForTurns({ host, index, attachment }: Running, turns: number): Promise<number[]> {
  const search = createHistorySearch({ index, clock: systemClock });
  const asker = { sessionId: null, projectId: "project-1", directory: "/w/app", turnStartedAt: null };
  const waits: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const changed = (role: "user" | "assistant", text: string) => {
      const { id } = host.say("ses_live", role, text);
      attachment.onEvent({ type: "message-changed", sessionId: "ses_live", messageId: id });
    };
    changed("user", `question ${turn}`);
    await systemClock.sleep(150 + ((turn * 370) % 1100));
    const word = `zyx${turn}xyz`;
    changed("assistant", `the answer is ${word}`);
    attachment.onEvent({ type: "session-idle", sessionId: "ses_live" });
    const began = performance.now();
    const query = parseQuery(word);
    for (let found = false; !found;) {
      await systemClock.sleep(5);
      const request = { query, role: null, date: null, limit: 1, asker, signal: new AbortController().signal };
      found = (await search.searchSessions(request)).hits.length > 0;
      if (performance.now() - began > 30_000) throw new Error(`Turn ${turn} cannot be found after 30 s.`);
    }
    waits.push(performance.now() - began);
  }
  return waits;
}

interface Refreshes {
  readonly size: number;
  readonly refreshMs: number;
  readonly baselineMs: number;
}

/** One new message in a session of `size`, refreshed by the product and by the baseline. */
function measureRefresh(size: number): Promise<Refreshes> {
  return withRunning({ id: "ses_1", messages: size, startedAt: BUILT_AT }, async (running) => {
    const { host, sync } = running;
    const times: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      host.say("ses_1", "assistant", `one more message, number ${round}`);
      const began = performance.now();
      await sync.refreshNow("ses_1");
      times.push(performance.now() - began);
    }
    times.sort((one, other) => one - other);
    host.say("ses_1", "assistant", "the last message");
    const began = performance.now();
    await rewriteSession(running, "ses_1");
    return { size, refreshMs: quantile(times, 0.5), baselineMs: performance.now() - began };
  });
}

function refreshFigures(refreshes: readonly Refreshes[]): Figure[] {
  const figures = refreshes.flatMap(({ size, refreshMs, baselineMs }): Figure[] => {
    const label = `one new message in ${size.toLocaleString("en")}`;
    return [
      { key: `refresh.${size}`, label: `Refresh after ${label}`, value: refreshMs, unit: "ms" },
      { key: `refresh.${size}.baseline`, label: `Baseline after ${label}`, value: baselineMs, unit: "ms" },
    ];
  });
  const [small, , large] = refreshes;
  if (small === undefined || large === undefined) return figures;
  return [
    ...figures,
    {
      key: "refresh.growth",
      label: "Refresh at 10,000 messages beside 100",
      value: large.refreshMs / small.refreshMs,
      unit: "x",
      bound: { limit: 2, kind: "max" },
    },
    {
      key: "refresh.beside-baseline",
      label: "Baseline beside refresh at 10,000",
      value: large.baselineMs / large.refreshMs,
      unit: "x",
      bound: { limit: 100, kind: "min" },
    },
  ];
}

/** The simple design: fetch everything, write everything. */
async function rewriteSession({ host, index }: Running, sessionId: string): Promise<void> {
  const { signal } = new AbortController();
  const session = await host.session(sessionId, signal);
  const refresh = session === null ? null : await index.open(session);
  if (refresh === null) throw new Error(`${sessionId} cannot be rewritten.`);
  const seen = new Set<string>();
  let page = await host.messages(sessionId, { before: null, limit: 100 }, signal);
  while (page !== null) {
    for (const { id } of page.messages) seen.add(id);
    await refresh.put(page.messages.map((message) => ({ message, digest: `${messageDigest(message)}+` })));
    page = page.older === null ? null : await host.messages(sessionId, { before: page.older, limit: 100 }, signal);
  }
  await refresh.finish(seen);
}

/** Runs something on an index of its own, which is deleted afterwards. */
async function withRunning<T>(plan: SessionPlan, use: (running: Running) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "history-bench-"));
  const running = await startRunning(directory, [plan]);
  try {
    await untilDone(running.sync);
    return await use(running);
  } finally {
    await running.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
