/** What an archive costs the next start of a project that had no `.opencode/` folder before. */

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { archivedUntil } from "../support/archive-on-disk.ts";
import { converse } from "../support/conversation.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { scenarioConfig } from "../support/scenarios.ts";

let sandbox: Sandbox;
let registry: Server;
const asked: string[] = [];
beforeAll(async () => {
  registry = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    registry.listen(0, "127.0.0.1", resolve);
  });
  const address = registry.address();
  if (address === null || typeof address === "string") throw new Error("The registry has no port.");
  const { port } = address;
  sandbox = await createSandbox();
  sandbox.configure({
    plugins: [pluginUnderTest(sandbox.root)],
    config: scenarioConfig,
    env: { npm_config_registry: `http://127.0.0.1:${port}/` },
  });
});
afterAll(async () => {
  await sandbox.dispose();
  registry.close();
});

it("the archive's folder makes OpenCode install nothing, and git shows none of it", async () => {
  const project = join(sandbox.root, "bare");
  mkdirSync(project);
  const git = (...args: string[]) => execFileSync("git", ["-C", project, ...args], { encoding: "utf8" });
  git("init", "-q");
  git("-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "-q", "--allow-empty", "-m", "Begin");

  const first = await sandbox.serve(project);
  const { sessionId } = await converse(first, sandbox.provider).say("Hello", [{ text: "Hello." }]);
  await archivedUntil(project, sessionId, (session) => session["deletedAt"] === null);
  await first.stop();
  expect(git("status", "--porcelain", "--untracked-files=all")).toBe("");

  asked.length = 0;
  const second = await sandbox.serve(project);
  expect((await second.request("GET", "/session")).status).toBe(200);
  expect(asked).toEqual([]);
});
