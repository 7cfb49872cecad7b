import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { fieldsOf, listOf, textOf } from "../../src/host/fields.ts";
import { archiveTexts } from "../support/archive-on-disk.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import type { RunResult } from "../support/real-host.ts";
import { createSandbox } from "../support/sandbox.ts";
import type { Sandbox } from "../support/sandbox.ts";
import type { ToolResult } from "../support/scripted-provider.ts";
import { answerOf, askingChapter, AUTH_FILE, deployChapter, tokensChapter } from "../support/story.ts";
import type { Chapter, Past } from "../support/story.ts";

/** A guard, not a measure: each of these processes takes seconds, on a busy machine many. */
const START_TIMEOUT_MS = 300_000;

let sandbox: Sandbox;
let plain: Sandbox;
let past: Past;
let results: readonly ToolResult[];
let runs: readonly RunResult[];

/** Nothing listens in `opencode run`: each chapter is a process of its own that ends with its turn. */
async function runChapter(box: Sandbox, directory: string, chapter: Chapter): Promise<RunResult> {
  box.provider.script(chapter.prompt, chapter.steps);
  return box.run(directory, chapter.prompt);
}

/** The project's sessions as its archive lists them, the oldest first: each process left its own there. */
function archivedIds(directory: string): readonly string[] {
  const index = fieldsOf(JSON.parse(archiveTexts(directory).get("index.json") ?? "{}"));
  return listOf(index["sessions"]).map((session) => textOf(fieldsOf(session)["id"]) ?? "");
}

beforeAll(async () => {
  sandbox = await createSandbox();
  plain = await createSandbox();
  sandbox.configure({ plugins: [pluginUnderTest(sandbox.root)] });
  const directory = sandbox.project("shop");
  const tokens = await runChapter(sandbox, directory, tokensChapter(directory));
  const deploy = await runChapter(sandbox, directory, deployChapter());
  const [tokensId = "", deployId = ""] = archivedIds(directory);
  past = { tokensId, deployId };
  const asking = askingChapter(past);
  runs = [tokens, deploy, await runChapter(sandbox, directory, asking)];
  results = sandbox.provider.toolResults(asking.prompt);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await Promise.all([sandbox.dispose(), plain.dispose()]);
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
  });

  it("prints byte for byte what it prints without the plugin", async () => {
    const without = await runChapter(plain, plain.project("shop"), deployChapter());
    expect(runs[1]).toEqual(without);
  });
});
