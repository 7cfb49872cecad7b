/**
 * Record scenarios: plays every scenario in a real OpenCode and writes `fixtures/v1/<scenario>.json`. Run it again
 * when the supported host changes, and read the difference: node scripts/run.mjs scripts/record-scenarios.ts
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { fieldsOf, textOf } from "../src/host/fields.ts";
import { converse } from "../test/support/conversation.ts";
import { createSandbox } from "../test/support/sandbox.ts";
import type { Sandbox } from "../test/support/sandbox.ts";
import { scenarioConfig, scenarios } from "../test/support/scenarios.ts";
import type { Scenario } from "../test/support/scenarios.ts";

/** Writes each event down as it comes; a plugin must be a file of its own. */
const RECORDER = `
import { appendFileSync } from "node:fs";
export default { id: "recorder", server: async () => ({
  event: async ({ event }) => appendFileSync(process.env.RECORDER_FILE, JSON.stringify(event) + "\\n"),
}) };
`;

/** Long enough for what the host still does after a turn has ended. */
const SETTLE_MS = 800;

async function recordScenarios(): Promise<void> {
  const folder = join(process.cwd(), "fixtures", "v1");
  mkdirSync(folder, { recursive: true });
  for (const scenario of scenarios) {
    const recording = await record(scenario);
    writeFileSync(join(folder, `${scenario.name}.json`), `${recording}\n`);
    process.stdout.write(`recorded ${scenario.name} (${recording.length} characters)\n`);
  }
}

async function record(scenario: Scenario): Promise<string> {
  const sandbox = await createSandbox();
  try {
    const plugin = join(sandbox.root, "recorder.js");
    const eventFile = join(sandbox.root, "events.jsonl");
    writeFileSync(plugin, RECORDER);
    writeFileSync(eventFile, "");
    sandbox.configure({ plugins: [plugin], config: scenarioConfig, env: { RECORDER_FILE: eventFile } });
    const directory = sandbox.project("app");
    const host = await sandbox.serve(directory);
    const conversation = converse(host, sandbox.provider);
    const ids = await scenario.play({ conversation, provider: sandbox.provider, directory });
    await new Promise((resolve) => {
      setTimeout(resolve, SETTLE_MS);
    });
    const sessions = [];
    for (const id of ids) {
      const session = await host.request("GET", `/session/${id}`);
      const known = session.status === 200;
      sessions.push({
        id,
        session: known ? session.body : null,
        messages: known ? await conversation.messages(id) : [],
      });
    }
    const events = readEvents(eventFile);
    return anonymous(JSON.stringify({ sessions, events }, null, 1), sandbox);
  } finally {
    await sandbox.dispose();
  }
}

/** Streamed pieces are many and are followed by the whole part; what names no session is about the host itself. */
function readEvents(file: string): readonly unknown[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))
    .filter((event) => {
      const { type, properties } = fieldsOf(event);
      return type !== "message.part.delta" && textOf(fieldsOf(properties)["sessionID"]) !== null;
    });
}

function anonymous(text: string, sandbox: Sandbox): string {
  return text
    .replaceAll(sandbox.root, "/sandbox")
    .replaceAll(sandbox.root.slice(1), "sandbox")
    .replaceAll(/127\.0\.0\.1:\d+/gu, "127.0.0.1:1");
}

await recordScenarios();
