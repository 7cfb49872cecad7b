import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { fieldsOf, listOf } from "../../src/host/fields.ts";
import { HISTORY_TOOLS } from "../../src/session/session.ts";
import { converse } from "../support/conversation.ts";
import type { Turn } from "../support/conversation.ts";
import { findable } from "../support/look-up.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import type { RealHost } from "../support/real-host.ts";
import { createSandbox } from "../support/sandbox.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { answerOf, ask, AUTH_FILE, livePast } from "../support/story.ts";
import type { Past } from "../support/story.ts";

/** A guard, not a measure: a machine busy with other things may take minutes. */
const START_TIMEOUT_MS = 300_000;

let sandbox: Sandbox;
let host: RealHost;
let past: Past;
let turn: Turn;

beforeAll(async () => {
  sandbox = await createSandbox();
  sandbox.configure({ plugins: [pluginUnderTest(sandbox.root)] });
  const directory = sandbox.project("shop");
  host = await sandbox.serve(directory);
  const conversation = converse(host, sandbox.provider);
  past = await livePast(conversation, directory);
  await findable(conversation, past.tokensId, "lifetime");
  await findable(conversation, past.deployId, "nightly");
  turn = await ask(conversation, past);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await sandbox.dispose();
});

const answer = (tool: string) => answerOf(turn.toolResults, tool);

describe("agent calls history-search-messages in chat", () => {
  it("is offered the four tools, described", () => {
    const offered = sandbox.provider.requests.at(-1)?.tools ?? [];
    for (const name of HISTORY_TOOLS) {
      expect(offered.find((tool) => tool.name === name)?.description.length).toBeGreaterThan(100);
    }
  });

  it("gets the session in which the words were said, with an excerpt, and no other", () => {
    expect(answer("history-search-messages")).toContain(past.tokensId);
    expect(answer("history-search-messages")).toContain("expire after ten minutes, people complain");
    expect(answer("history-search-messages")).not.toContain(past.deployId);
  });

  it("does not get the conversation that asks", () => {
    for (const result of turn.toolResults) expect(result.text).not.toContain(turn.sessionId);
  });

  it("gets the sessions that hold all words, one of them in a tool's output", () => {
    expect(answer("history-search-sessions")).toContain(past.deployId);
    expect(answer("history-search-sessions")).not.toContain(past.tokensId);
  });

  it("gets the edits of a file with the prompt behind them", () => {
    const edits = answer("history-search-edits");
    expect(edits).toContain(AUTH_FILE);
    expect(edits).toContain(past.tokensId);
    expect(edits).toContain("people complain");
    expect(edits).toMatch(/\bwrite\b/u);
    expect(edits).toMatch(/\bedit\b/u);
  });

  it("reads the messages of the session it found", () => {
    const read = fieldsOf(JSON.parse(answer("history-read")));
    expect(read["sessionID"]).toBe(past.tokensId);
    const messages = listOf(read["messages"]).map(fieldsOf);
    expect(messages.map((message) => message["role"])).toEqual([
      "user",
      "assistant",
      "assistant",
      "assistant",
      "assistant",
    ]);
    expect(messages[0]?.["content"]).toContain("people complain");
    expect(messages.at(-1)?.["content"]).toContain("The lifetime is set in src/auth.ts.");
    expect(read["nextCursor"]).toBeNull();
  });

  it("leaves the host's terminal alone", () => {
    expect(host.stderr()).toBe("");
    expect(host.stdout().trim().split("\n")).toEqual([
      expect.stringContaining("OPENCODE_SERVER_PASSWORD is not set"),
      `opencode server listening on ${host.url}`,
    ]);
  });
});
