import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { normaliseMessage } from "../../src/host/v1/normalise.ts";
import { converse } from "../support/conversation.ts";
import type { Conversation } from "../support/conversation.ts";
import { loadRecording } from "../support/recording.ts";
import { createSandbox } from "../support/sandbox.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { scenarioConfig, scenarios } from "../support/scenarios.ts";

let sandbox: Sandbox;
let conversation: Conversation;
let directory: string;

beforeAll(async () => {
  sandbox = await createSandbox({ config: scenarioConfig });
  directory = sandbox.project("app");
  conversation = converse(await sandbox.serve(directory), sandbox.provider);
});

afterAll(async () => {
  await sandbox.dispose();
});

/** What does not change from one run to the next: who spoke, in which parts, with which tools and errors. */
function shapeOf(messages: readonly unknown[], sessionId: string): readonly unknown[] {
  return messages.map((raw) => {
    const message = normaliseMessage(raw, sessionId);
    const parts = message?.parts.map((part) => (part.type === "tool" ? `${part.tool} ${part.status}` : part.type));
    return [message?.role, message?.error?.name ?? null, message?.isSummary, ...(parts ?? [])];
  });
}

describe("a real OpenCode 1.18", () => {
  it.each(scenarios)("still answers as recorded: $name", async (scenario) => {
    const recording = loadRecording(scenario.name);
    const ids = await scenario.play({ conversation, provider: sandbox.provider, directory });
    expect(ids).toHaveLength(recording.sessions.length);
    for (const [index, id] of ids.entries()) {
      const recorded = recording.sessions[index];
      const messages = recorded?.session === null ? [] : await conversation.messages(id);
      expect(shapeOf(messages, id)).toEqual(shapeOf(recorded?.messages ?? [], recorded?.id ?? ""));
    }
  });
});
