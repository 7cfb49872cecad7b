/** Bench of the archive: what following sessions costs the process that hosts it. */

import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { type Archive, createArchive } from "../../src/archive/archive.ts";
import { createMasker } from "../../src/redact/mask.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { messageDigest } from "../../src/session/fingerprint.ts";
import type { Message, Session } from "../../src/session/session.ts";
import { assistantMessage, buildConversation, buildSession, toolPart } from "../support/builders.ts";
import { percentile, startLoopMonitor } from "./loop-monitor.ts";
import type { BenchReport, Figure } from "./report.ts";
import { watchThreadTime } from "./thread-time.ts";

/** Messages of the session that is streamed into. */
const LONG_SESSION = 10_000;
/** Sync reads a changed session again once a second. */
const REFRESH_MS = 1000;

const text = (index: number) => `In step ${index} we look at src/module-${index % 97}.ts and change it. `.repeat(25);

export async function run(args: readonly string[]): Promise<BenchReport> {
  const { values } = parseArgs({ args: [...args], options: { minutes: { type: "string" } }, strict: false });
  const minutes = typeof values.minutes === "string" ? Number(values.minutes) : 0.4;
  const root = await mkdtemp(join(tmpdir(), "history-bench-archive-"));
  try {
    const resyncs = await benchResync(root);
    const streams = await benchStream(root, minutes * 60_000);
    return {
      name: "Archive",
      notes: [
        "Re-sync: sessions of 200, 400 and 800 messages with nothing new, median of 50; cold is after a restart.",
        `Stream: a session of ${LONG_SESSION.toLocaleString("en")} messages, into which a reply grows by 2 kB and one call a ` +
          `second for ${minutes} minutes (--minutes 20 for the whole). Work is CPU time of all threads beyond that of the ` +
          "same stream without an archive. A block is time on the processor between two turns of the event loop, measured in a " +
          "run of its own; by the clock it also holds what else a busy machine does.",
        "Kills at random moments are a test: test/archive/kill.process.test.ts.",
      ],
      figures: [...resyncs, ...streams, benchMasking()],
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function openArchive(root: string): Archive {
  return createArchive({
    place: { root, folder: join(root, ".opencode", "sessions") },
    clock: systemClock,
    log: silentLogger,
    masker: createMasker(),
    isWorktree: true,
    gitignore: true,
    attachments: "reference",
    configured: false,
    hostConfig: null,
  });
}

async function fullPass(archive: Archive, session: Session, messages: readonly Message[]): Promise<void> {
  const refresh = await archive.open(session);
  for (let end = messages.length; end > 0; end -= 50) {
    const page = messages.slice(Math.max(0, end - 50), end);
    await refresh?.put(page.map((message) => ({ message, digest: messageDigest(message) })));
  }
  await refresh?.finish(new Set(messages.map(({ id }) => id)));
}

/** What sync does when it finds nothing new: the newest messages are known. */
async function resync(archive: Archive, session: Session, messages: readonly Message[]): Promise<void> {
  const refresh = await archive.open(session);
  await refresh?.digests(messages.slice(-10).map(({ id }) => id));
  await refresh?.finish(null);
  await archive.flush(session.id);
}

async function benchResync(root: string): Promise<Figure[]> {
  const archive = openArchive(root);
  const figures: Figure[] = [];
  const bound = { limit: 5, kind: "max" } as const;
  let touched = 0;
  for (const count of [200, 400, 800]) {
    const session = buildSession({ id: `ses_${count}`, directory: root });
    const messages = buildConversation(session.id, count, { text });
    await fullPass(archive, session, messages);
    await archive.flush();
    const path = join(root, ".opencode", "sessions", `${session.id}.json`);
    const before = await stat(path);
    const warm = await median(50, () => resync(archive, session, messages));
    const cold: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const restarted = openArchive(root);
      await restarted.fileOf(session.id);
      cold.push(await elapsed(() => resync(restarted, session, messages)));
      await restarted.dispose();
    }
    const after = await stat(path);
    if (after.ino !== before.ino || after.mtimeMs !== before.mtimeMs) touched += 1;
    figures.push({ key: `resync.${count}`, label: `Re-sync, ${count} messages`, value: warm, unit: "ms", bound });
    figures.push({
      key: `resync-cold.${count}`,
      label: `Re-sync, ${count} messages, cold`,
      value: percentile(
        cold.sort((one, other) => one - other),
        0.5,
      ),
      unit: "ms",
    });
  }
  await archive.dispose();
  return [
    ...figures,
    {
      key: "resync.touched",
      label: "Files touched by it",
      value: touched,
      unit: "files",
      bound: { limit: 0, kind: "max" },
    },
  ];
}

async function benchStream(root: string, lengthMs: number): Promise<Figure[]> {
  const session = buildSession({ id: "ses_long", directory: root });
  const messages = buildConversation(session.id, LONG_SESSION, { text });
  const archive = openArchive(root);
  const path = join(root, ".opencode", "sessions", "ses_long.json");
  const firstMs = await elapsed(async () => {
    await fullPass(archive, session, messages);
    await archive.flush();
  });
  const { size } = await stat(path);

  // The first write of a turn is owed no pause; a turn of twenty minutes hardly has a first one.
  await stream(archive, session, 2 * REFRESH_MS);
  const alone = await cpuOf(() => stream(null, session, lengthMs));
  const followed = await cpuOf(() => stream(archive, session, lengthMs));
  const idle = startLoopMonitor();
  await stream(null, session, Math.min(lengthMs, 30_000));
  const blocksAlone = await idle.stop();
  const monitor = startLoopMonitor();
  await stream(archive, session, Math.min(lengthMs, 30_000));
  const lastMs = await untilOnDisk(archive, session, path);
  const blocks = await monitor.stop();
  const watch = watchThreadTime();
  await stream(archive, session, Math.min(lengthMs, 30_000));
  await untilOnDisk(archive, session, path, "the very last word");
  const longest = (await watch.stop()) ?? blocks.at(-1) ?? 0;
  await archive.dispose();
  return [
    { key: "first.speed", label: "First writing of the long session", value: size / 1000 / firstMs, unit: "MB/s" },
    { key: "stream.file", label: "Its file", value: size / 1_000_000, unit: "MB" },
    {
      key: "stream.work",
      label: "Work while a turn streams",
      value: (100 * Math.max(0, followed - alone)) / lengthMs,
      unit: "% of wall time",
      bound: { limit: 2, kind: "max" },
    },
    {
      key: "stream.block",
      label: "Longest block of the event loop",
      value: longest,
      unit: "ms",
      bound: { limit: 20, kind: "max" },
    },
    { key: "stream.block-wall", label: "The same by the clock", value: blocks.at(-1) ?? 0, unit: "ms" },
    {
      key: "stream.block-alone",
      label: "By the clock, without an archive",
      value: blocksAlone.at(-1) ?? 0,
      unit: "ms",
    },
    { key: "stream.block-p999", label: "Blocks, 99.9th percentile", value: percentile(blocks, 0.999), unit: "ms" },
    {
      key: "stream.last-state",
      label: "Last state on disk after the turn's end",
      value: lastMs,
      unit: "ms",
      bound: { limit: 3000, kind: "max" },
    },
  ];
}

/** A turn in which one reply grows, second by second, as sync brings it. */
async function stream(archive: Archive | null, session: Session, lengthMs: number): Promise<void> {
  archive?.onEvent({ type: "session-busy", sessionId: session.id });
  const parts: ReturnType<typeof toolPart>[] = [];
  for (const end = performance.now() + lengthMs; performance.now() < end;) {
    // A turn of many minutes has many replies: each takes a minute's worth of calls.
    if (parts.length >= 60) parts.length = 0;
    parts.push(toolPart("bash", { command: `step ${parts.length}` }, { output: text(parts.length) }));
    const message = assistantMessage("msg_growing", parts, { createdAt: Date.UTC(2027, 0, 1) });
    const digest = messageDigest(message);
    const refresh = (await archive?.open(session)) ?? null;
    await refresh?.digests([message.id]);
    await refresh?.put([{ message, digest }]);
    await refresh?.finish(null);
    await delay(REFRESH_MS);
  }
}

/** The turn ends; sync brings its last state a second later. Milliseconds until the file holds it. */
async function untilOnDisk(archive: Archive, session: Session, path: string, word = "the last word"): Promise<number> {
  const endedAt = performance.now();
  const refresh = await archive.open(session);
  archive.onEvent({ type: "session-idle", sessionId: session.id });
  await delay(REFRESH_MS);
  const message = assistantMessage("msg_last", [word], { createdAt: Date.UTC(2027, 0, 2) });
  await refresh?.put([{ message, digest: messageDigest(message) }]);
  await refresh?.finish(null);
  const before = (await stat(path)).mtimeMs;
  for (;;) {
    await delay(20);
    if ((await stat(path)).mtimeMs === before) continue;
    const end = (await readFile(path)).subarray(-2000).toString();
    if (end.includes(word)) return performance.now() - endedAt;
  }
}

function benchMasking(): Figure {
  const masker = createMasker();
  const sample = Array.from({ length: 800 }, (_, index) => text(index)).join("\n");
  masker.mask(sample);
  const startedAt = performance.now();
  masker.mask(sample);
  return {
    key: "masking.speed",
    label: "Masking of clean text",
    value: sample.length / 1000 / (performance.now() - startedAt),
    unit: "MB/s",
  };
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function elapsed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function median(times: number, work: () => Promise<void>): Promise<number> {
  const values: number[] = [];
  for (let time = 0; time < times; time += 1) values.push(await elapsed(work));
  return percentile(
    values.sort((one, other) => one - other),
    0.5,
  );
}
