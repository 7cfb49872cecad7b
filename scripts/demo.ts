/**
 * Demo: the product's main job, watched. A real OpenCode in a folder of its own, a scripted model, two sessions of the
 * past, and an agent that looks them up with the four tools.
 *
 *   npm run demo            removes its folder at the end
 *   npm run demo -- --keep  keeps it, to look at the index and the archive
 */

import { rmSync } from "node:fs";
import { parseArgs } from "node:util";

import { HISTORY_TOOLS } from "../src/session/session.ts";
import { archiveFolder, archiveTexts } from "../test/support/archive-on-disk.ts";
import { converse, until } from "../test/support/conversation.ts";
import type { Turn } from "../test/support/conversation.ts";
import { findable } from "../test/support/look-up.ts";
import { findOpencode } from "../test/support/opencode-binary.ts";
import { pluginUnderTest } from "../test/support/plugin-under-test.ts";
import { createSandbox } from "../test/support/sandbox.ts";
import type { Sandbox } from "../test/support/sandbox.ts";
import type { ToolResult } from "../test/support/scripted-provider.ts";
import { askingChapter, deployChapter, tokensChapter } from "../test/support/story.ts";
import type { Chapter, Past } from "../test/support/story.ts";
import { indexFiles } from "./demo/findings.ts";
import { createStage } from "./demo/stage.ts";
import type { Stage } from "./demo/stage.ts";

const ANSWER_LINES = 18;
const ARCHIVE_LINES = 24;

/** What proves that a tool answered: a piece of the right answer. */
const proofs = (past: Past): Readonly<Record<string, string>> => ({
  "history-search-messages": past.tokensId,
  "history-search-sessions": past.deployId,
  "history-search-edits": past.tokensId,
  "history-read": "people complain",
});

/** @returns the exit code: 0 only when all four tools gave the right answer */
export async function runDemo(args: readonly string[], write: (text: string) => void): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { keep: { type: "boolean", default: false } } });
  const stage = createStage(write);
  let sandbox: Sandbox | undefined;
  try {
    const { version } = findOpencode();
    stage.line(`A real OpenCode ${version}, a scripted model on loopback, no network.`);
    sandbox = await createSandbox();
    removeAtExit(sandbox.root, values.keep);
    return await tell(stage, sandbox);
  } catch (error) {
    stage.line();
    stage.line(`The demo could not go on: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    if (values.keep && sandbox !== undefined) {
      await sandbox.stop();
      stage.line(`Kept: ${sandbox.root}`);
    } else {
      await sandbox?.dispose();
    }
  }
}

async function tell(stage: Stage, sandbox: Sandbox): Promise<number> {
  const plugin = pluginUnderTest(sandbox.root);
  sandbox.configure({ plugins: [plugin] });
  const project = sandbox.project("shop");
  stage.line(`Plugin:  ${plugin}`);
  stage.line(`Project: ${project}`);
  stage.line();
  const host = await stage.during("Starting OpenCode", async () => sandbox.serve(project));
  const conversation = converse(host, sandbox.provider);
  const hold = async (chapter: Chapter, what: string): Promise<Turn> => {
    const turn = await stage.during(what, async () => conversation.say(chapter.prompt, chapter.steps));
    showChapter(stage, chapter, turn.sessionId);
    return turn;
  };

  const tokens = await hold(tokensChapter(project), "Holding a first session (OpenCode warms up)");
  const deploy = await hold(deployChapter(), "Holding a second session");
  const past: Past = { tokensId: tokens.sessionId, deployId: deploy.sessionId };
  await stage.during("Waiting until both can be found", async () => {
    await findable(conversation, past.tokensId, "lifetime");
    await findable(conversation, past.deployId, "nightly");
  });
  const asking = askingChapter(past);
  const turn = await stage.during("Holding a third session, which asks about them", async () =>
    conversation.say(asking.prompt, asking.steps),
  );
  stage.heading(`Session ${turn.sessionId}`);
  stage.say("You", asking.prompt);
  const answered = showAnswers(stage, asking, turn.toolResults, proofs(past));
  await showDisk(stage, sandbox, project, past.tokensId);
  return verdict(stage, answered, host.stderr());
}

function showChapter(stage: Stage, chapter: Chapter, sessionId: string): void {
  stage.heading(`Session ${sessionId}`);
  stage.say("You", chapter.prompt);
  for (const step of chapter.steps) {
    for (const call of step.calls ?? []) stage.say("Agent", `(calls ${call.tool})`);
    if (step.text !== undefined) stage.say("Agent", step.text);
  }
  stage.line();
}

/** Each call with its answer, as it arrived at the model. @returns the tools that gave the right answer */
function showAnswers(
  stage: Stage,
  asking: Chapter,
  results: readonly ToolResult[],
  expected: Readonly<Record<string, string>>,
): readonly string[] {
  const answered: string[] = [];
  for (const call of asking.steps.flatMap((step) => step.calls ?? [])) {
    stage.line();
    stage.say("Agent", `${call.tool} ${JSON.stringify(call.args)}`);
    const result = results.find((candidate) => candidate.tool === call.tool);
    stage.quote(result?.text ?? "(no answer arrived at the model)", ANSWER_LINES);
    if (result?.text.includes(expected[call.tool] ?? "") === true) answered.push(call.tool);
  }
  return answered;
}

async function showDisk(stage: Stage, sandbox: Sandbox, project: string, sessionId: string): Promise<void> {
  stage.heading("On disk");
  stage.line("The index, private to you, can be deleted at any time:");
  for (const file of indexFiles(sandbox.dataFolder)) stage.line(`  ${file.path} (${file.bytes} bytes)`);
  const archived = await stage.during("The archive, in the repository", async () =>
    until("the archived copy", async () => archiveTexts(project).get(`${sessionId}.json`) ?? null).catch(() => null),
  );
  stage.line(`  ${archiveFolder(project)} (${archiveTexts(project).size} files)`);
  stage.line(`  ${sessionId}.json begins:`);
  stage.quote(archived ?? "(there is no archived copy)", ARCHIVE_LINES);
}

function verdict(stage: Stage, answered: readonly string[], stderr: string): number {
  stage.line();
  const silent = HISTORY_TOOLS.filter((tool) => !answered.includes(tool));
  if (stderr !== "") stage.line(`OpenCode wrote to its terminal:\n${stderr}`);
  if (silent.length > 0) {
    stage.line(`Not as it should be: ${silent.join(", ")} did not give the expected answer.`);
    return 1;
  }
  stage.line("All four tools answered. Three things to try in your own OpenCode:");
  stage.line('  "What did we decide about ... last month?"');
  stage.line('  "Who changed src/... and why?"');
  stage.line('  "/history ..."');
  return 0;
}

/** Ctrl-C ends this process at once; OpenCode gets the same signal, and only the folder is left to remove. */
function removeAtExit(root: string, keep: boolean): void {
  process.once("exit", () => {
    if (!keep) rmSync(root, { recursive: true, force: true });
  });
}

process.exitCode = await runDemo(process.argv.slice(2), (text) => process.stdout.write(text));
