/**
 * Real host: the built plugin in OpenCode 1.18, measured from outside. How late the host answers stands for its event
 * loop; what is findable is read from the index file.
 */

import { join } from "node:path";

import { systemClock } from "../../src/runtime/clock.ts";
import type { Message, Part } from "../../src/session/session.ts";
import type { Database, SqlStatement } from "../../src/sqlite/database.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { sql } from "../../src/sqlite/sql.ts";
import { BUILT_AT } from "../support/builders.ts";
import { converse } from "../support/conversation.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import type { RealHost } from "../support/real-host.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { createSandbox } from "../support/sandbox.ts";
import { generateMessage } from "./generated-host.ts";
import type { Figure } from "./report.ts";

const SESSION_MESSAGES = 100;
const PATIENCE_MS = 120_000;

/**
 * @param messages in the history that is there before the plugin is
 * @param turns that are waited for
 * @throws when the plugin is not built or OpenCode is not installed
 */
export async function measureRealHost(messages: number, turns: number): Promise<Figure[]> {
  const sandbox = await createSandbox();
  try {
    const plugins = [pluginUnderTest(sandbox.root)];
    const project = sandbox.project("app");
    await fillDatabase(sandbox, project, messages);
    sandbox.configure({ plugins });
    const host = await sandbox.serve(project);
    return [...(await measureFilling(sandbox, host, messages)), ...(await measureTurns(sandbox, host, turns))];
  } finally {
    await sandbox.dispose();
  }
}

async function measureFilling(sandbox: Sandbox, host: RealHost, messages: number): Promise<Figure[]> {
  // The first request starts the instance, and the plugin with it.
  await host.api("GET", "/session");
  const began = performance.now();
  const filled = new AbortController();
  const busy = answersUntil(host, () => filled.signal.aborted);
  const sessions = Math.floor(messages / SESSION_MESSAGES) + 1;
  await readIndex(sandbox, sql`SELECT 1 WHERE (SELECT count(*) FROM sessions WHERE complete = 1) >= ${sessions}`);
  const seconds = (performance.now() - began) / 1000;
  filled.abort();
  const busyAnswers = await busy;
  const idleUntil = performance.now() + 3000;
  const idleAnswers = await answersUntil(host, () => performance.now() > idleUntil);
  return [
    {
      key: "real.backfill.messages-per-second",
      label: "Real host: backfill speed",
      value: messages / seconds,
      unit: "messages/s",
    },
    {
      key: "real.answer-p99",
      label: "Real host: answers later while it backfills, p99",
      value: quantile(busyAnswers, 0.99) - quantile(idleAnswers, 0.99),
      unit: "ms",
    },
    {
      key: "real.answer-max",
      label: "Real host: answers later while it backfills, max",
      value: quantile(busyAnswers, 1) - quantile(idleAnswers, 1),
      unit: "ms",
    },
  ];
}

async function measureTurns(sandbox: Sandbox, host: RealHost, turns: number): Promise<Figure[]> {
  const conversation = converse(host, sandbox.provider);
  const waits: number[] = [];
  let sessionId: string | undefined;
  for (let turn = 0; turn < turns; turn += 1) {
    const word = `zyx${turn}xyz`;
    const said = await conversation.say(
      `Question ${turn}`,
      [
        { calls: [{ tool: "bash", args: { command: `echo ${turn}`, description: "Counts" } }] },
        { text: `It is ${word}.` },
      ],
      sessionId === undefined ? {} : { sessionId },
    );
    ({ sessionId } = said);
    const began = performance.now();
    await readIndex(sandbox, sql`SELECT 1 FROM documents WHERE text LIKE ${`%${word}%`}`);
    waits.push(performance.now() - began);
    await systemClock.sleep((turn * 170) % 700);
  }
  waits.sort((one, other) => one - other);
  return [
    {
      key: "real.findable.p50",
      label: "Real host: finished turn findable, p50",
      value: quantile(waits, 0.5),
      unit: "ms",
    },
    {
      key: "real.findable.p95",
      label: "Real host: finished turn findable, p95",
      value: quantile(waits, 0.95),
      unit: "ms",
      bound: { limit: 1500, kind: "max" },
    },
  ];
}

/** Milliseconds that each answer took, least first; asks again 5 ms after each. */
async function answersUntil(host: RealHost, isDone: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isDone()) {
    const began = performance.now();
    await host.request("GET", "/global/health");
    times.push(performance.now() - began);
    await systemClock.sleep(5);
  }
  return times.sort((one, other) => one - other);
}

/** Waits until a statement finds a row in the index. */
async function readIndex(sandbox: Sandbox, statement: SqlStatement): Promise<void> {
  const path = join(sandbox.dataFolder, "history-search", "index-v1.sqlite");
  const driver = await loadDriver();
  let database: Database | null = null;
  let refusal: unknown = null;
  for (const began = performance.now(); performance.now() - began < PATIENCE_MS; await systemClock.sleep(10)) {
    try {
      database ??= driver.open({ path, readOnly: true, busyTimeoutMs: 5 });
      if (database.all(statement).length === 0) continue;
      database.close();
      return;
    } catch (error) {
      // The file and its tables come with the plugin's start, and may be locked for a moment.
      refusal = error;
    }
  }
  throw new Error(`The index never had what was waited for: ${statement.text}`, { cause: refusal });
}

/** Writes a history into the host's own database, as if it had been held there. */
async function fillDatabase(sandbox: Sandbox, project: string, messages: number): Promise<void> {
  const host = await sandbox.serve(project);
  const { sessionId } = await converse(host, sandbox.provider).say("The first session", [{ text: "Held for real." }]);
  await host.stop();
  const driver = await loadDriver();
  const path = join(sandbox.dataFolder, "opencode.db");
  const database = driver.open({ path, readOnly: false, busyTimeoutMs: 5 });
  database.exec("BEGIN");
  for (let index = 0; index < messages / SESSION_MESSAGES; index += 1) {
    const id = `ses_${index.toString(16).padStart(12, "0")}generatedtext0`;
    const startedAt = BUILT_AT - index * 3_600_000;
    database.run(
      sql`INSERT INTO session (id, project_id, slug, directory, path, title, version, time_created, time_updated)
        SELECT ${id}, project_id, ${`generated-${index}`}, directory, '', ${`Generated session ${index}`}, version,
          ${startedAt}, ${startedAt + 1000} FROM session WHERE id = ${sessionId}`,
    );
    for (let place = 0; place < SESSION_MESSAGES; place += 1) {
      insertMessage(database, generateMessage({ id, messages: SESSION_MESSAGES, startedAt }, place), index, place);
    }
  }
  database.exec("COMMIT");
  database.close();
}

function insertMessage(database: Database, message: Message, session: number, place: number): void {
  const { role, createdAt: at, sessionId } = message;
  const unique = (session * SESSION_MESSAGES + place).toString(16).padStart(12, "0");
  const id = `msg_${unique}generatedtext0`;
  const model = { providerID: "scripted", modelID: "scripted" };
  const data =
    role === "user"
      ? { role, time: { created: at }, agent: "build", model }
      : {
          role,
          parentID: id,
          mode: "build",
          agent: "build",
          path: { cwd: "/", root: "/" },
          cost: 0,
          tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
          ...model,
          time: { created: at, completed: at + 500 },
          finish: "stop",
        };
  database.run(sql`INSERT INTO message VALUES (${id}, ${sessionId}, ${at}, ${at}, ${JSON.stringify(data)})`);
  for (const [index, part] of message.parts.entries()) {
    const partId = `prt_${unique}generatedpart${index}`;
    const text = JSON.stringify(nativePart(part, at));
    database.run(sql`INSERT INTO part VALUES (${partId}, ${id}, ${sessionId}, ${at}, ${at}, ${text})`);
  }
}

function nativePart(part: Part, at: number): unknown {
  if (part.type !== "tool")
    return { type: "text", text: "text" in part ? part.text : "", time: { start: at, end: at } };
  const { tool, callId: callID, input, output } = part;
  const state = { status: "completed", input, output, title: "", metadata: {}, time: { start: at, end: at } };
  return { type: "tool", tool, callID, state };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
