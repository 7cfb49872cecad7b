import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { fieldsOf, textOf } from "../../src/host/fields.ts";
import { converse } from "../support/conversation.ts";
import type { Conversation } from "../support/conversation.ts";
import { findable, lookUp, lookUpUntil } from "../support/look-up.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import type { RealHost } from "../support/real-host.ts";
import { createSandbox } from "../support/sandbox.ts";
import type { Sandbox } from "../support/sandbox.ts";

const MESSAGES = "history-search-messages";
const SESSIONS = "history-search-sessions";

let sandbox: Sandbox;
let host: RealHost;
let conversation: Conversation;

beforeAll(async () => {
  sandbox = await createSandbox();
  sandbox.configure({ plugins: [pluginUnderTest(sandbox.root)] });
  host = await sandbox.serve(sandbox.project("app"));
  conversation = converse(host, sandbox.provider);
});

afterAll(async () => {
  await sandbox.dispose();
});

const idOf = (message: unknown) => textOf(fieldsOf(fieldsOf(message)["info"])["id"]) ?? "";

describe("history in a real OpenCode 1.18 follows", () => {
  it("a rename: the new title is found, the old one is not", async () => {
    const { sessionId } = await conversation.say("Something about kangaroos", [{ text: "They jump." }]);
    await findable(conversation, sessionId, "kangaroos");
    await conversation.rename(sessionId, "Marsupials at large");
    await lookUpUntil(conversation, SESSIONS, { query: "title:marsupials" }, (answer) => answer.includes(sessionId));
    expect(await lookUp(conversation, SESSIONS, { query: "title:kangaroos" })).not.toContain(sessionId);
  });

  it("archiving, also while the session does nothing", async () => {
    const { sessionId } = await conversation.say("Something about walruses", [{ text: "They rest." }]);
    await conversation.archive(sessionId, Date.now());
    const named = (answer: string) => answer.includes(sessionId);
    const answer = await lookUpUntil(conversation, SESSIONS, { query: "is:archived walruses" }, named);
    expect(answer).toContain("Something about walruses");
  });

  it("a revert, an unrevert, and the removal at the next prompt", async () => {
    const { sessionId } = await conversation.say("Something about hedgehogs", [{ text: "They curl up." }]);
    await conversation.say("And porcupines", [{ text: "They rattle." }], { sessionId });
    await findable(conversation, sessionId, "porcupines");
    const second = idOf((await conversation.messages(sessionId))[2]);
    const reverted = (answer: string) => answer.includes(sessionId);
    await conversation.revert(sessionId, second);
    await lookUpUntil(conversation, SESSIONS, { query: "is:reverted porcupines" }, reverted);
    await conversation.unrevert(sessionId);
    await lookUpUntil(conversation, SESSIONS, { query: "is:reverted porcupines" }, (answer) => !reverted(answer));
    expect(await lookUp(conversation, MESSAGES, { query: "porcupines" })).toContain(sessionId);
    await conversation.revert(sessionId, second);
    await conversation.say("Or rather badgers", [{ text: "They dig." }], { sessionId });
    await findable(conversation, sessionId, "badgers");
    await lookUpUntil(conversation, MESSAGES, { query: "rattle" }, (answer) => !answer.includes(sessionId));
  });

  it("a sub-agent: its words are found in its own session, which names the one that asked", async () => {
    sandbox.provider.script("Count the ostriches", [{ text: "There are forty-two ostriches." }]);
    const args = { description: "count", prompt: "Count the ostriches", subagent_type: "general" };
    const { sessionId } = await conversation.say("Something about flightless birds", [
      { calls: [{ tool: "task", args }] },
      { text: "Counted." },
    ]);
    const [child = ""] = await conversation.children(sessionId);
    const answer = await findable(conversation, child, '"forty-two ostriches"');
    expect(answer).toContain(sessionId);
    const subagents = await lookUp(conversation, SESSIONS, { query: "is:subagent ostriches" });
    expect(subagents).toContain(child);
  });

  it("a compaction: what was said before it is still found and read", async () => {
    const { sessionId } = await conversation.say("Something about narwhals", [{ text: "They have a long tooth." }]);
    await conversation.compact(sessionId);
    await conversation.say("Go on after the summary", [{ text: "Gladly." }], { sessionId });
    await findable(conversation, sessionId, '"long tooth"');
    expect(await lookUp(conversation, "history-read", {}, sessionId)).toContain("Something about narwhals");
  });

  it("a deletion: nothing of the session or its sub-agents is found or read", async () => {
    sandbox.provider.script("Look for lemmings", [{ text: "No lemmings anywhere." }]);
    const args = { description: "look", prompt: "Look for lemmings", subagent_type: "general" };
    const { sessionId } = await conversation.say("Something about rodents", [
      { calls: [{ tool: "task", args }] },
      { text: "None." },
    ]);
    const [child = ""] = await conversation.children(sessionId);
    await findable(conversation, child, "lemmings");
    await conversation.remove(sessionId);
    await lookUpUntil(
      conversation,
      MESSAGES,
      { query: "lemmings" },
      (answer) => !answer.includes(child) && !answer.includes(sessionId),
    );
    expect(await lookUp(conversation, "history-read", { sessionID: sessionId })).toContain("no session");
  });

  it("a failed turn", async () => {
    const { sessionId } = await conversation.say("Something about dodos", [{ status: 403 }]);
    const named = (answer: string) => answer.includes(sessionId);
    const answer = await lookUpUntil(conversation, SESSIONS, { query: "is:error dodos" }, named);
    expect(answer).toContain("Something about dodos");
  });

  it("arguments that are wrong with an answer that says what to do, not with a failed turn", async () => {
    expect(await lookUp(conversation, MESSAGES, { query: "x", limit: 1.5 })).toContain("limit");
    expect(await lookUp(conversation, MESSAGES, { query: "x", colour: "red" })).toContain("colour");
  });

  it("the /history command, which asks the model to search", async () => {
    const sessionId = await conversation.createSession();
    await conversation.command(sessionId, "history", "pelicans and herons");
    const asked = sandbox.provider.requests.findLast((request) => !request.isTitle)?.prompt ?? "";
    expect(asked).toContain("pelicans and herons");
    expect(asked).toContain(MESSAGES);
  });

  it("all of it without a word on the host's terminal", () => {
    expect(host.stderr()).toBe("");
    expect(host.stdout().trim().split("\n")).toHaveLength(2);
  });
});
