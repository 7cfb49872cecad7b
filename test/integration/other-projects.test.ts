/** What reading the sessions of other projects does to them: OpenCode 1.18 starts a project whose session is read. */

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { archivedUntil, archiveFolder } from "../support/archive-on-disk.ts";
import { converse } from "../support/conversation.ts";
import { findable, lookUp } from "../support/look-up.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import type { RealHost } from "../support/real-host.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";

let sandbox: Sandbox;
let here: string;
let elsewhere: string;
let past: string;

/** The directories in which a plugin of the project elsewhere was started. */
const started = () => readFileSync(join(sandbox.root, "started.log"), "utf8").split("\n").filter(Boolean);

/** How often our plugin said in the host's log that it started in a directory. */
function startLines(directory: string): number {
  const log = readFileSync(join(sandbox.dataFolder, "log", "opencode.log"), "utf8");
  return log.split("\n").filter((line) => line.includes("opencode-history: started") && line.includes(directory))
    .length;
}

async function serve(options: Readonly<Record<string, unknown>>): Promise<RealHost> {
  const config = { snapshot: false };
  sandbox.configure({ plugins: [[pluginUnderTest(sandbox.root), options]], config });
  return sandbox.serve(here);
}

beforeAll(async () => {
  sandbox = await createSandbox({ config: { snapshot: false } });
  here = sandbox.project("here");
  elsewhere = sandbox.project("elsewhere");
  const host = await sandbox.serve(elsewhere);
  past = (await converse(host, sandbox.provider).say("A tale of gannets", [{ text: "They plunge." }])).sessionId;
  await host.stop();
  const file = join(sandbox.root, "started.log");
  appendFileSync(file, "");
  mkdirSync(join(elsewhere, ".opencode", "plugin"), { recursive: true });
  writeFileSync(
    join(elsewhere, ".opencode", "plugin", "witness.js"),
    `import { appendFileSync } from "node:fs";
export const Witness = async ({ directory }) => {
  appendFileSync(${JSON.stringify(file)}, directory + "\\n");
  return {};
};`,
  );
});

afterAll(async () => {
  await sandbox.dispose();
});

describe("sessions of a project that OpenCode does not run in", () => {
  it("are left alone, and that project with them, when the options say so", async () => {
    const host = await serve({ otherProjects: false });
    const conversation = converse(host, sandbox.provider);
    const { sessionId } = await conversation.say("A tale of puffins", [{ text: "They burrow." }]);
    const answer = await findable(conversation, sessionId, "tale project:all");
    expect(answer).not.toContain(past);
    expect(answer).not.toContain("index:");
    expect(started()).toEqual([]);
    await host.stop();
  });

  it("are found by default; nothing is kept in that project before somebody works there", async () => {
    const host = await serve({});
    const conversation = converse(host, sandbox.provider);
    await findable(conversation, past, "gannets project:all");
    expect(started()).toEqual([elsewhere]);
    expect(existsSync(archiveFolder(elsewhere))).toBe(false);
    expect(startLines(elsewhere)).toBe(0);

    const there = converse(host, sandbox.provider, elsewhere);
    await there.say("A tale of skuas", [{ text: "They steal." }]);
    await archivedUntil(elsewhere, past, (session) => session["deletedAt"] === null);
    expect(await lookUp(there, "history-search-messages", { query: "gannets" })).toContain(past);
    expect(startLines(elsewhere)).toBe(1);
    expect(startLines(here)).toBe(2);
  });
});
