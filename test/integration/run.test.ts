import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { fieldsOf, listOf, textOf } from "../../src/host/fields.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import type { RunResult } from "../support/real-host.ts";
import { createSandbox } from "../support/sandbox.ts";
import type { Sandbox } from "../support/sandbox.ts";
import type { ToolResult } from "../support/scripted-provider.ts";
import { answerOf, askingChapter, AUTH_FILE, deployChapter, tokensChapter } from "../support/story.ts";
import type { Past } from "../support/story.ts";

let sandbox: Sandbox;
let past: Past;
let results: readonly ToolResult[];
const runs: RunResult[] = [];

/** Nothing listens in `opencode run`: each chapter is a process of its own that ends with its turn. */
beforeAll(async () => {
  sandbox = await createSandbox();
  sandbox.configure({ plugins: [pluginUnderTest(sandbox.root)] });
  const directory = sandbox.project("shop");
  const ids: string[] = [];
  for (const chapter of [tokensChapter(directory), deployChapter()]) {
    sandbox.provider.script(chapter.prompt, chapter.steps);
    runs.push(await sandbox.run(directory, chapter.prompt));
    const list = await sandbox.command(directory, ["session", "list", "--format", "json"]);
    const newest = listOf(JSON.parse(list.stdout)).map((session) => textOf(fieldsOf(session)["id"]) ?? "");
    ids.push(newest.find((id) => !ids.includes(id)) ?? "");
  }
  past = { tokensId: ids[0] ?? "", deployId: ids[1] ?? "" };
  const asking = askingChapter(past);
  sandbox.provider.script(asking.prompt, asking.steps);
  runs.push(await sandbox.run(directory, asking.prompt));
  results = sandbox.provider.toolResults(asking.prompt);
});

afterAll(async () => {
  await sandbox.dispose();
});

describe("agent calls the history tools in opencode run", () => {
  it("finds what earlier processes said and did", () => {
    expect(answerOf(results, "history-search-messages")).toContain(past.tokensId);
    expect(answerOf(results, "history-search-messages")).not.toContain(past.deployId);
    expect(answerOf(results, "history-search-sessions")).toContain(past.deployId);
    expect(answerOf(results, "history-search-edits")).toContain(AUTH_FILE);
    expect(answerOf(results, "history-search-edits")).toContain("people complain");
    expect(fieldsOf(JSON.parse(answerOf(results, "history-read")))["sessionID"]).toBe(past.tokensId);
  });

  it("prints the model's answer and nothing of its own", () => {
    expect(runs.map((run) => run.exitCode)).toEqual([0, 0, 0]);
    expect(runs.map((run) => run.stdout.trim())).toEqual([
      "Done: login tokens now live for a day. The lifetime is set in src/auth.ts.",
      "The nightly deploy failed because the certificate of the registry had expired.",
      "Login tokens live for a day since the change in src/auth.ts.",
    ]);
    for (const run of runs) expect(run.stderr).not.toMatch(/opencode-history|warning|error|exception|at .*\.js:/iu);
  });
});
