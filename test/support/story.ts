/**
 * Story: the product's main job as one tale. Two sessions are held and end; later an agent, asked about them in a
 * third, calls the four history tools. Told by the integration tests and by the demo.
 */

import type { Conversation, Turn } from "./conversation.ts";
import type { ToolResult } from "./scripted-provider.ts";
import type { Step } from "./step.ts";

/** One turn of the past: what the person wrote, and what the model does about it. */
export interface Chapter {
  readonly prompt: string;
  readonly steps: readonly Step[];
}

export interface Past {
  /** The session that wrote and edited `src/auth.ts`. */
  readonly tokensId: string;
  /** The session about the failed deploy, which touched no file. */
  readonly deployId: string;
}

export const AUTH_FILE = "src/auth.ts";

export function tokensChapter(directory: string): Chapter {
  const filePath = `${directory}/${AUTH_FILE}`;
  return {
    prompt: "Our login tokens expire after ten minutes, people complain. Let them live for a day.",
    steps: [
      {
        reasoning: "I start with the module that signs people in.",
        calls: [{ tool: "write", args: { filePath, content: "export const tokenLifetimeMinutes = 10;\n" } }],
      },
      {
        calls: [
          {
            tool: "edit",
            args: { filePath, oldString: "tokenLifetimeMinutes = 10", newString: "tokenLifetimeMinutes = 24 * 60" },
          },
        ],
      },
      { calls: [{ tool: "read", args: { filePath } }] },
      { text: "Done: login tokens now live for a day. The lifetime is set in src/auth.ts." },
    ],
  };
}

export function deployChapter(): Chapter {
  const command = "echo 'deploy: certificate of registry expired on 2026-11-30'";
  return {
    prompt: "Why did the nightly deploy fail?",
    steps: [
      { calls: [{ tool: "bash", args: { command, description: "Shows the end of the deploy log" } }] },
      { text: "The nightly deploy failed because the certificate of the registry had expired." },
    ],
  };
}

/** The third session: one call of each tool. */
export function askingChapter(past: Past): Chapter {
  return {
    prompt: "Someone asks what we did about sign-in recently. Look it up in our history.",
    steps: [
      { calls: [{ tool: "history-search-messages", args: { query: '"login tokens"' } }] },
      { calls: [{ tool: "history-search-sessions", args: { query: "deploy certificate" } }] },
      { calls: [{ tool: "history-search-edits", args: { query: `path:${AUTH_FILE}` } }] },
      { calls: [{ tool: "history-read", args: { sessionID: past.tokensId } }] },
      { text: "Login tokens live for a day since the change in src/auth.ts." },
    ],
  };
}

/** Holds the two sessions of the past, one turn each. */
export async function livePast(conversation: Conversation, directory: string): Promise<Past> {
  const tokens = tokensChapter(directory);
  const deploy = deployChapter();
  const { sessionId: tokensId } = await conversation.say(tokens.prompt, tokens.steps);
  const { sessionId: deployId } = await conversation.say(deploy.prompt, deploy.steps);
  return { tokensId, deployId };
}

export async function ask(conversation: Conversation, past: Past): Promise<Turn> {
  const chapter = askingChapter(past);
  return conversation.say(chapter.prompt, chapter.steps);
}

/** What a tool answered in a turn. @throws when it was not called */
export function answerOf(results: readonly ToolResult[], tool: string): string {
  const result = results.find((candidate) => candidate.tool === tool);
  if (result === undefined) throw new Error(`No result of ${tool} arrived at the model.`);
  return result.text;
}
