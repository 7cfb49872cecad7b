/**
 * Scenarios: stories played in a real host. Their recordings lie in `fixtures/v1`, one folder a scenario; integration
 * tests play them afresh. The host's configuration must ask before `echo ask…` (`scenarioConfig`).
 */

import { fieldsOf, textOf } from "../../src/host/fields.ts";
import type { Conversation } from "./conversation.ts";
import { until } from "./conversation.ts";
import type { ScriptedProvider } from "./scripted-provider.ts";

export interface Stage {
  readonly conversation: Conversation;
  readonly provider: ScriptedProvider;
  readonly directory: string;
}

export interface Scenario {
  readonly name: string;
  /** Plays the story and returns the sessions it made, parents first; a deleted one is still named. */
  play(stage: Stage): Promise<readonly string[]>;
}

/** Of several rules the last match wins. */
export const scenarioConfig = { permission: { bash: { "*": "allow", "echo ask*": "ask" } } };

const bash = (command: string) => ({ tool: "bash", args: { command, description: "runs a command" } });

export const scenarios: readonly Scenario[] = [
  {
    name: "text",
    play: async ({ conversation }) => {
      const steps = [{ reasoning: "A greeting needs no tool.", text: "Hello! What shall we build today?" }];
      return [(await conversation.say("Greet me, please", steps)).sessionId];
    },
  },
  {
    name: "files",
    play: async ({ conversation, directory }) => {
      const filePath = `${directory}/notes.txt`;
      const { sessionId } = await conversation.say("Write the release notes", [
        { calls: [{ tool: "write", args: { filePath, content: "first line\nsecond line\n" } }] },
        { calls: [{ tool: "edit", args: { filePath, oldString: "second line", newString: "line two" } }] },
        { calls: [{ tool: "read", args: { filePath } }, bash("cat notes.txt; exit 3")] },
        { text: "The notes are written." },
      ]);
      return [sessionId];
    },
  },
  {
    name: "sub-agent",
    play: async ({ conversation, provider }) => {
      provider.script("Find every use of the parser", [
        { calls: [bash("echo from the child")] },
        { text: "The parser is used twice." },
      ]);
      const args = {
        description: "find uses",
        prompt: "Find every use of the parser",
        subagent_type: "general",
      };
      const { sessionId } = await conversation.say("Ask a helper about the parser", [
        { calls: [{ tool: "task", args }] },
        { text: "My helper found two uses." },
      ]);
      return [sessionId, ...(await conversation.children(sessionId))];
    },
  },
  {
    name: "permission",
    play: async ({ conversation }) => {
      const sessionId = await conversation.createSession();
      for (const reply of ["once", "reject"] as const) {
        const turn = conversation.say(
          `Run the ${reply} command`,
          [{ calls: [bash(`echo ask ${reply}`)] }, { text: "Done." }],
          { sessionId },
        );
        await Promise.all([turn, conversation.answerPermission(reply)]);
      }
      return [sessionId];
    },
  },
  {
    name: "provider-error",
    play: async ({ conversation }) => {
      const { sessionId } = await conversation.say("Ask a model that refuses", [{ status: 403 }]);
      return [sessionId];
    },
  },
  {
    name: "retry",
    play: async ({ conversation, provider }) => {
      const sessionId = await conversation.createSession();
      const turn = conversation.say("Ask a model that is down", [{ status: 500 }], { sessionId });
      await until("the model to be asked", async () =>
        provider.requests.some((r) => !r.isTitle && r.prompt.includes("model that is down")) ? true : null,
      );
      await pause(300);
      await Promise.all([turn, conversation.abort(sessionId)]);
      return [sessionId];
    },
  },
  {
    name: "abort",
    play: async ({ conversation, provider }) => {
      const sessionId = await conversation.createSession();
      const steps = [{ text: "a long answer that nobody waits for, ".repeat(40), pieceMs: 100 }];
      const turn = conversation.say("Tell a long story", steps, { sessionId });
      await until("the model to be asked", async () =>
        provider.requests.some((r) => !r.isTitle && r.prompt.includes("Tell a long story")) ? true : null,
      );
      await pause(600);
      await Promise.all([turn, conversation.abort(sessionId)]);
      return [sessionId];
    },
  },
  {
    name: "invalid-tools",
    play: async ({ conversation }) => {
      const { sessionId } = await conversation.say("Use tools that do not work", [
        { calls: [{ tool: "nonesuch", args: { a: 1 } }] },
        { calls: [{ tool: "bash", rawArgs: "{not json" }] },
        { calls: [{ tool: "read", args: { wrong: 1 } }] },
        { text: "None of them worked." },
      ]);
      return [sessionId];
    },
  },
  {
    name: "attachments",
    play: async ({ conversation, directory }) => {
      const { sessionId: first } = await conversation.say("Write a file to attach", [
        { calls: [{ tool: "write", args: { filePath: `${directory}/attached.txt`, content: "attached words\n" } }] },
        { text: "Written." },
      ]);
      const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
      const parts = [
        { type: "file", mime: "text/plain", filename: "attached.txt", url: `file://${directory}/attached.txt` },
        { type: "file", mime: "image/png", filename: "pixel.png", url: `data:image/png;base64,${pixel}` },
        { type: "agent", name: "general" },
      ];
      await conversation.say("Look at these files", [{ text: "Seen." }], { sessionId: first, parts });
      return [first];
    },
  },
  {
    name: "revert",
    play: async ({ conversation }) => {
      const { sessionId } = await conversation.say("Keep this turn", [{ text: "Kept." }]);
      await conversation.say("Doubt this turn", [{ text: "Doubtful." }], { sessionId });
      await conversation.revert(sessionId, idOf((await conversation.messages(sessionId))[2]));
      await conversation.unrevert(sessionId);
      await conversation.revert(sessionId, idOf((await conversation.messages(sessionId))[2]));
      await conversation.say("Go another way", [{ text: "Gone." }], { sessionId });
      await conversation.revert(sessionId, idOf((await conversation.messages(sessionId))[2]));
      return [sessionId];
    },
  },
  {
    name: "compaction",
    play: async ({ conversation }) => {
      const { sessionId } = await conversation.say("Talk before the summary", [{ text: "Much was said." }]);
      await conversation.compact(sessionId);
      await conversation.say("Talk after the summary", [{ text: "More was said." }], { sessionId });
      return [sessionId];
    },
  },
  {
    name: "rename-archive-fork",
    play: async ({ conversation }) => {
      const { sessionId } = await conversation.say("Give me a title", [{ text: "As you wish." }]);
      await conversation.rename(sessionId, "A title of my own");
      const fork = await conversation.fork(sessionId);
      await conversation.archive(sessionId, Date.UTC(2026, 0, 2));
      return [sessionId, fork];
    },
  },
  {
    name: "delete",
    play: async ({ conversation, provider }) => {
      provider.script("Look around briefly", [{ text: "Looked." }]);
      const args = { description: "look", prompt: "Look around briefly", subagent_type: "general" };
      const { sessionId } = await conversation.say("Soon to be deleted", [
        { calls: [{ tool: "task", args }] },
        { text: "Farewell." },
      ]);
      const sessions = [sessionId, ...(await conversation.children(sessionId))];
      await conversation.remove(sessionId);
      return sessions;
    },
  },
  {
    name: "todos",
    play: async ({ conversation }) => {
      const todos = [{ content: "Sweep the floor", status: "pending", priority: "high" }];
      const { sessionId } = await conversation.say("Plan the day", [
        { calls: [{ tool: "todowrite", args: { todos } }] },
        { text: "Planned." },
      ]);
      return [sessionId];
    },
  },
];

function idOf(message: unknown): string {
  return textOf(fieldsOf(fieldsOf(message)["info"])["id"]) ?? "";
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
