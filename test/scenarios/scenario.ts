/**
 * Scenario: one thing a person may count on, played in a whole OpenCode with the plugin in it. The same table runs on a
 * real OpenCode 1.18 and on the fake 2.x: what differs between the hosts ends below the tools.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { type Fields, fieldsOf, listOf, textOf } from "../../src/host/fields.ts";
import { until } from "../support/conversation.ts";
import type { SharedConversation } from "../support/fake-opencode-2/conversation.ts";
import type { Step } from "../support/step.ts";

/** An OpenCode with the plugin loaded, and a git repository to work in. */
export interface Stage {
  /** "OpenCode 1.18" */
  readonly name: string;
  readonly conversation: SharedConversation;
  /** The repository. */
  readonly directory: string;
  /** What the model answers to a prompt that no person wrote: a sub-agent's. */
  script(prompt: string, steps: readonly Step[]): void;
  dispose(): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  /** Plays it, with expectations of its own. Words and prompts differ between scenarios: they share one stage. */
  play(stage: Stage): Promise<void>;
}

export type HistoryTool =
  | "history-search-messages"
  | "history-search-sessions"
  | "history-search-edits"
  | "history-read";

/** Lets the model of a new session call a tool. @returns what arrived at the model */
export async function callTool(stage: Stage, tool: HistoryTool, args: object, prompt = "Look back"): Promise<string> {
  const call = { tool, args };
  // Prompts must differ: a script is found by its prompt.
  const told = `${prompt} (${String(performance.now())})`;
  const turn = await stage.conversation.say(told, [{ calls: [call] }, { text: "Looked." }]);
  const [result] = turn.toolResults;
  if (result === undefined) throw new Error(`No result of ${tool} arrived at the model.`);
  return result.text;
}

/** Calls a tool until its answer is as it should be: what is new becomes findable within moments, not at once. */
export async function answerThat(
  stage: Stage,
  [tool, args]: readonly [HistoryTool, object],
  what: string,
  isRight: (answer: string) => boolean,
): Promise<string> {
  let last = "";
  try {
    return await until(what, async () => {
      last = await callTool(stage, tool, args);
      return isRight(last) ? last : null;
    });
  } catch (cause) {
    throw new Error(`${tool} ${JSON.stringify(args)} never answered as expected (${what}). It last said:\n${last}`, {
      cause,
    });
  }
}

/** Searches messages until the session is found, or until it is not found any more. */
export async function found(stage: Stage, query: string, sessionId: string, expected = true): Promise<string> {
  return answerThat(
    stage,
    ["history-search-messages", { query }],
    `${sessionId} ${expected ? "found" : "not found"}`,
    (answer) => answer.includes(sessionId) === expected,
  );
}

/** The archived file of a session, as soon as it is as it should be. */
export async function archived(
  stage: Stage,
  sessionId: string,
  what: string,
  isRight: (file: Fields) => boolean,
): Promise<Fields> {
  const path = join(stage.directory, ".opencode", "sessions", `${sessionId}.json`);
  return until(`${path} ${what}`, async () => {
    try {
      const file = fieldsOf(JSON.parse(await readFile(path, "utf8")));
      return isRight(file) ? file : null;
    } catch {
      return null;
    }
  });
}

/** The contents in history-read's answer that hold a word, in order. */
export function contentsOf(answer: string, word: string): readonly string[] {
  return listOf(fieldsOf(JSON.parse(answer))["messages"])
    .map((message) => textOf(fieldsOf(message)["content"]) ?? "")
    .filter((content) => content.includes(word));
}
