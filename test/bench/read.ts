/** Bench read: what history-read costs in a long session, beside reading all its pages. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import type { HostReader } from "../../src/host/host.ts";
import { createMasker } from "../../src/redact/mask.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { createSessionReader } from "../../src/search/read-session.ts";
import { createMessagePositions, type MessagePositions, noPositions } from "../../src/search-index/reader-positions.ts";
import { openSearchIndex } from "../../src/search-index/search-index.ts";
import { messageDigest } from "../../src/session/fingerprint.ts";
import type { Message } from "../../src/session/session.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { readTool } from "../../src/tools/read.ts";
import { buildConversation, buildSession } from "../support/builders.ts";
import { FakeHost } from "../support/fake-host.ts";
import { createSandbox } from "../support/sandbox.ts";
import { readerOf } from "../support/sdk-reader.ts";
import { buildCall, setUpTools } from "../support/tools.ts";
import { generateSession } from "./generated-session.ts";
import type { BenchReport, Figure } from "./report.ts";

type Reader = Pick<HostReader, "session" | "messages" | "message" | "cursorBefore">;

/** As OpenCode 1.18.34 was measured to take for a page of 100 messages, and for anything single. */
const PAGE_MS = 95;
const ONE_MS = 8;
const PAGE = 100;

const signal = new AbortController().signal;

/** @param args `--messages N` in the session (10,000 when absent) */
export async function run(args: readonly string[]): Promise<BenchReport> {
  const { values } = parseArgs({ args: [...args], options: { messages: { type: "string" } }, strict: false });
  const messages = Number(values["messages"] ?? 10_000);
  // The product's timers do not keep a process alive.
  const alive = setInterval(() => {}, 1000);
  try {
    const { name, sqliteVersion } = await loadDriver();
    return {
      name: "read",
      notes: [
        `A session of ${messages.toLocaleString("en")} messages; windows of 11 messages around 9 anchors from its start to its end.`,
        `"all pages" reads the whole session in pages of ${PAGE}, as a reader without an index must; ${name}, SQLite ${sqliteVersion}.`,
        `The fake host takes ${PAGE_MS} ms for a page and ${ONE_MS} ms for anything single; the real one is OpenCode 1.18 over HTTP on this machine.`,
        "Each call is a whole one of the tool: requests, masking and JSON.",
      ],
      figures: [...(await measureFake(messages)), ...(await measureReal(messages))],
    };
  } finally {
    clearInterval(alive);
  }
}

function latencyMs(call: { readonly method: string }): number {
  return call.method === "messages" ? PAGE_MS : ONE_MS;
}

async function measureFake(count: number): Promise<readonly Figure[]> {
  const messages = buildConversation("ses_1", count, { text: (index) => `message ${index} `.repeat(40) });
  const exact = new FakeHost({ source: "v1", latencyMs });
  exact.store.putSession(buildSession(), messages);
  const opaque = new FakeHost({ source: "v2", latencyMs }, exact.store);
  return [
    ...(await measureIndexed("fake", "Fake host", exact, "ses_1")),
    ...(await measureUnindexed("fake.opaque", "Fake host, opaque cursors", opaque, "ses_1", messages)),
  ];
}

async function measureReal(count: number): Promise<readonly Figure[]> {
  const sandbox = await createSandbox();
  try {
    const directory = sandbox.project("long");
    const first = await sandbox.serve(directory);
    await first.api("GET", "/session");
    await first.stop();
    const path = join(sandbox.dataFolder, "opencode.db");
    const session = await generateSession({ path, directory, messages: count });
    const host = await sandbox.serve(directory);
    // The first requests of a process pay for its start.
    await host.api("GET", "/session");
    const reader = readerOf(host);
    await reader.messages(session.id, { before: null, limit: PAGE }, signal);
    const figures = await measureIndexed("real", "OpenCode 1.18", reader, session.id);
    const messages = await readAll(reader, session.id);
    return [
      ...figures,
      ...(await measureUnindexed("real.unindexed", "OpenCode 1.18, not indexed", reader, session.id, messages)),
    ];
  } finally {
    await sandbox.dispose();
  }
}

/** Windows and pages with the index, held to the bounds. */
async function measureIndexed(key: string, label: string, host: Reader, sessionId: string): Promise<readonly Figure[]> {
  const allAt = performance.now();
  const messages = await readAll(host, sessionId);
  const allMs = performance.now() - allAt;
  return withIndex(sessionId, messages, async (positions) => {
    const anchors = anchorsOf(messages);
    const windows = await measure(
      host,
      positions,
      sessionId,
      anchors.map((messageID) => ({ messageID })),
    );
    const roles = await measure(
      host,
      positions,
      sessionId,
      anchors.map((messageID) => ({ messageID, role: "user" })),
    );
    const pages = await measure(
      host,
      positions,
      sessionId,
      anchors.map((cursor) => ({ cursor, limit: 20 })),
    );
    return [
      { key: `${key}.all-pages`, label: `${label}: all pages`, value: allMs, unit: "ms" },
      { key: `${key}.window`, label: `${label}: window, slowest`, value: windows.slowest, unit: "ms" },
      {
        key: `${key}.window-share`,
        label: `${label}: slowest window / all pages`,
        value: windows.slowest / allMs,
        unit: "x",
        bound: { limit: 0.2, kind: "max" },
      },
      {
        key: `${key}.window-pages`,
        label: `${label}: page requests of a window, most`,
        value: windows.pages,
        unit: "pages",
        bound: { limit: 5, kind: "max" },
      },
      { key: `${key}.role-window`, label: `${label}: window of one role, slowest`, value: roles.slowest, unit: "ms" },
      { key: `${key}.role-requests`, label: `${label}: its requests, most`, value: roles.requests, unit: "requests" },
      { key: `${key}.page`, label: `${label}: page of 20 after a cursor, slowest`, value: pages.slowest, unit: "ms" },
    ];
  });
}

/** What paging costs where no index helps: the first window, and the next one in the same place. */
async function measureUnindexed(
  key: string,
  label: string,
  host: Reader,
  sessionId: string,
  messages: readonly Message[],
): Promise<readonly Figure[]> {
  const middle = Math.floor(messages.length / 2);
  const reads = [middle, middle + 10].map((index) => ({ messageID: messages[index]?.id }));
  const [first, next] = (await measure(host, noPositions, sessionId, reads)).each;
  return [
    { key: `${key}.first`, label: `${label}: first window in the middle`, value: first?.ms ?? Number.NaN, unit: "ms" },
    { key: `${key}.first-pages`, label: `${label}: its pages`, value: first?.pages ?? Number.NaN, unit: "pages" },
    { key: `${key}.next`, label: `${label}: next window near it`, value: next?.ms ?? Number.NaN, unit: "ms" },
    { key: `${key}.next-pages`, label: `${label}: its pages`, value: next?.pages ?? Number.NaN, unit: "pages" },
  ];
}

interface Cost {
  readonly ms: number;
  readonly pages: number;
  readonly requests: number;
}

/** Calls the tool for each read, through one reader. */
async function measure(
  host: Reader,
  positions: MessagePositions,
  sessionId: string,
  reads: readonly Readonly<Record<string, unknown>>[],
): Promise<{ slowest: number; pages: number; requests: number; each: readonly Cost[] }> {
  let pages = 0;
  let requests = 0;
  const counting: Reader = {
    cursorBefore: (message) => host.cursorBefore(message),
    session: (...given) => ((requests += 1), host.session(...given)),
    message: (...given) => ((requests += 1), host.message(...given)),
    messages: (...given) => ((requests += 1), (pages += 1), host.messages(...given)),
  };
  const masker = createMasker();
  const reader = createSessionReader({ host: counting, positions, archivedFile: async () => null });
  const { options } = setUpTools({ reader, mask: (text) => masker.mask(text).text });
  const tool = readTool({ ...options, clock: systemClock, log: silentLogger });
  const each: Cost[] = [];
  for (const read of reads) {
    pages = 0;
    requests = 0;
    const began = performance.now();
    await tool.execute({ sessionID: sessionId, ...read }, buildCall({ sessionId }));
    each.push({ ms: performance.now() - began, pages, requests });
  }
  const most = (of: (cost: Cost) => number): number => Math.max(...each.map(of));
  return {
    slowest: most(({ ms }) => ms),
    pages: most((cost) => cost.pages),
    requests: most((cost) => cost.requests),
    each,
  };
}

async function readAll(host: Reader, sessionId: string): Promise<readonly Message[]> {
  const pages: (readonly Message[])[] = [];
  for (let before = null, isEnd = false; !isEnd;) {
    const page = await host.messages(sessionId, { before, limit: PAGE }, signal);
    if (page === null) throw new Error(`The host has no session ${sessionId}.`);
    pages.push(page.messages);
    before = page.older;
    isEnd = before === null;
  }
  return pages.toReversed().flat();
}

function anchorsOf(messages: readonly Message[]): readonly string[] {
  return Array.from({ length: 9 }, (_, index) => messages[Math.floor(((messages.length - 1) * index) / 8)]?.id ?? "");
}

/** The product's own index of the session, in a folder of its own. */
async function withIndex<Value>(
  sessionId: string,
  messages: readonly Message[],
  use: (positions: MessagePositions) => Promise<Value>,
): Promise<Value> {
  const directory = mkdtempSync(join(tmpdir(), "history-bench-read-"));
  const driver = await loadDriver();
  const index = await openSearchIndex({ directory, driver, clock: systemClock, log: silentLogger });
  try {
    const refresh = await index.open(buildSession({ id: sessionId }));
    await refresh?.put(messages.map((message) => ({ message, digest: messageDigest(message) })));
    await refresh?.finish(new Set(messages.map(({ id }) => id)));
    return await use(createMessagePositions(index));
  } finally {
    await index.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
