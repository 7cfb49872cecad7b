import { existsSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { fieldsOf, listOf } from "../../src/host/fields.ts";
import { archivedSession, archivedUntil, archiveTexts } from "../support/archive-on-disk.ts";
import { converse, until } from "../support/conversation.ts";
import type { Conversation } from "../support/conversation.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import { createSandbox } from "../support/sandbox.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { scenarioConfig } from "../support/scenarios.ts";

const turnsOf = (session: unknown) => listOf(fieldsOf(session)["turns"]).map(fieldsOf);

/** The files that the host's snapshots of the turn name: what it will roll back on revert. */
function patchedFiles(messages: readonly unknown[]): readonly unknown[] {
  return messages
    .flatMap((message) => listOf(fieldsOf(message)["parts"]))
    .map(fieldsOf)
    .filter((part) => part["type"] === "patch")
    .flatMap((part) => listOf(part["files"]));
}

interface Stage {
  readonly sandbox: Sandbox;
  readonly conversation: Conversation;
  readonly project: string;
}

/** Starts a host with these options of the plugin around the tests of the describing block. */
function useHost(options: Readonly<Record<string, unknown>>): () => Stage {
  let stage: Stage;
  beforeAll(async () => {
    const sandbox = await createSandbox();
    sandbox.configure({ plugins: [[pluginUnderTest(sandbox.root), options]], config: scenarioConfig });
    const project = sandbox.project("app");
    stage = { sandbox, project, conversation: converse(await sandbox.serve(project), sandbox.provider) };
  });
  afterAll(async () => {
    await stage.sandbox.dispose();
  });
  return () => stage;
}

async function expectNoEdit({ conversation, project }: Stage): Promise<void> {
  const filePath = join(project, "notes.txt");
  const { sessionId } = await conversation.say("Write the notes", [
    { calls: [{ tool: "write", args: { filePath, content: "one\n" } }] },
    { calls: [{ tool: "edit", args: { filePath, oldString: "one", newString: "two" } }] },
    { text: "Written." },
  ]);
  await archivedUntil(project, sessionId, (session) => turnsOf(session).length === 4);
  const messages = await conversation.messages(sessionId);
  expect(new Set(patchedFiles(messages))).toEqual(new Set([filePath]));

  const first = fieldsOf(fieldsOf(messages[0])["info"])["id"];
  await conversation.revert(sessionId, String(first));
  expect(existsSync(filePath)).toBe(false);
  const reverted = await archivedUntil(project, sessionId, (session) =>
    turnsOf(session).every((turn) => turn["reverted"] === true),
  );
  expect(turnsOf(reverted)).toHaveLength(4);
}

describe("the archive in a real OpenCode 1.18", () => {
  const stage = useHost({});

  it("is no edit of the agent's, and a revert leaves it alone", async () => {
    await expect(expectNoEdit(stage())).resolves.toBeUndefined();
  });

  it("holds what was said, called, asked and answered", async () => {
    const { conversation, project } = stage();
    const turn = conversation.say("Run the once command", [
      { reasoning: "It asks first.", calls: [{ tool: "bash", args: { command: "echo ask once", description: "d" } }] },
      { text: "Done." },
    ]);
    const [{ sessionId }, requestId] = await Promise.all([turn, conversation.answerPermission("once")]);
    const session = await archivedUntil(project, sessionId, (state) => turnsOf(state).length === 3);
    expect(turnsOf(session).map((state) => state["role"])).toEqual(["user", "assistant", "assistant"]);
    expect(turnsOf(session)[1]?.["parts"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "thinking", text: "It asks first." }),
        expect.objectContaining({ type: "tool", toolName: "bash", toolOutput: "ask once\n", isError: false }),
      ]),
    );
    expect(session["permissions"]).toEqual([
      expect.objectContaining({ type: "asked", requestId, permission: "bash", command: "echo ask once" }),
      expect.objectContaining({ type: "replied", requestId, permission: "bash", reply: "once", allowed: true }),
    ]);
  });

  it("never holds a secret", async () => {
    const { conversation, project } = stage();
    const secret = `ghp_${"a1B2c3D4".repeat(4)}e5F6`;
    const { sessionId } = await conversation.say(`My token is ${secret}, keep it`, [{ text: `I see ${secret}.` }]);
    await archivedUntil(project, sessionId, (session) => turnsOf(session).length === 2);
    const texts = [...archiveTexts(project).values()].join("\n");
    expect(texts).not.toContain(secret);
    expect(texts).toContain("[redacted:");
  });

  it("keeps a deleted session, marked, and names every session in its index", async () => {
    const { conversation, project } = stage();
    const { sessionId } = await conversation.say("Soon to be deleted", [{ text: "Farewell." }]);
    await archivedUntil(project, sessionId, (session) => turnsOf(session).length === 2);
    await conversation.remove(sessionId);
    const session = await archivedUntil(project, sessionId, (state) => state["deletedAt"] !== null);
    expect(turnsOf(session)).toHaveLength(2);
    const files = await until("the index to name every file", async () => {
      const texts = archiveTexts(project);
      const named = listOf(fieldsOf(JSON.parse(texts.get("index.json") ?? "{}"))["sessions"]).map(fieldsOf);
      const ids = [...texts.keys()].filter((name) => name.startsWith("ses_") && name.endsWith(".json"));
      return named.length === ids.length ? ids : null;
    });
    expect(files).toContain(`${sessionId}.json`);
    expect(archivedSession(project, sessionId)?.["_id"]).toBe(sessionId);
  });
});

describe("the archive in a real OpenCode 1.18, when it does not ignore itself", () => {
  const stage = useHost({ archive: { gitignore: false } });

  it("is no edit of the agent's either, and a revert leaves it alone", async () => {
    await expect(expectNoEdit(stage())).resolves.toBeUndefined();
  });
});
