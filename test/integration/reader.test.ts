import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { listSessions } from "../../src/host/v1/session-listing.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import type { HostReader, PageCursor } from "../../src/host/host.ts";
import type { Session } from "../../src/session/session.ts";
import { converse } from "../support/conversation.ts";
import type { Conversation } from "../support/conversation.ts";
import type { RealHost } from "../support/real-host.ts";
import { createSandbox } from "../support/sandbox.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { rawClientOf, readerOf } from "../support/sdk-reader.ts";

const never = new AbortController().signal;
const TURNS = 6;

let sandbox: Sandbox;
let host: RealHost;
let conversation: Conversation;
let reader: HostReader;
let sessionId: string;

beforeAll(async () => {
  sandbox = await createSandbox({ config: { snapshot: false } });
  host = await sandbox.serve(sandbox.project("app"));
  conversation = converse(host, sandbox.provider);
  reader = readerOf(host);
  sessionId = await conversation.createSession();
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await conversation.say(`Question number ${turn}`, [{ text: `Answer number ${turn}` }], { sessionId });
  }
});

afterAll(async () => {
  await sandbox.dispose();
});

async function idsByPages(limit: number): Promise<string[]> {
  const ids: string[] = [];
  let before: PageCursor | null = null;
  do {
    const page = await reader.messages(sessionId, { before, limit }, never);
    ids.unshift(...(page?.messages.map((message) => message.id) ?? []));
    before = page?.older ?? null;
  } while (before !== null);
  return ids;
}

describe("the reader over a real OpenCode 1.18", () => {
  it.each([1, 5, 100])("walks a session in pages of %d and meets each message once, in order", async (limit) => {
    const whole = (await conversation.messages(sessionId)).length;
    const ids = await idsByPages(limit);
    expect(ids).toHaveLength(whole);
    expect(ids).toHaveLength(2 * TURNS);
    expect(ids).toEqual(await idsByPages(100));
  });

  it("makes cursors that the host takes as its own", async () => {
    const all = (await reader.messages(sessionId, { before: null, limit: 100 }, never))?.messages ?? [];
    for (const [index, message] of all.entries()) {
      const page = await reader.messages(sessionId, { before: reader.cursorBefore(message), limit: 3 }, never);
      expect(page?.messages.map((m) => m.id)).toEqual(all.slice(Math.max(0, index - 3), index).map((m) => m.id));
    }
  });

  it("reads one session and one message, and answers null for those that do not exist", async () => {
    const [first] = (await reader.messages(sessionId, { before: null, limit: 100 }, never))?.messages ?? [];
    const other = await conversation.createSession();
    expect((await reader.session(sessionId, never))?.id).toBe(sessionId);
    expect(await reader.message(sessionId, first?.id ?? "", never)).toEqual(first);
    expect(await reader.session("ses_none", never)).toBeNull();
    expect(await reader.messages("ses_none", { before: null, limit: 5 }, never)).toBeNull();
    expect(await reader.message(sessionId, "msg_none", never)).toBeNull();
    expect(await reader.message(other, first?.id ?? "", never)).toBeNull();
  });

  it("lists sessions of all projects, children and archived ones, whatever the page", async () => {
    const elsewhere = converse(host, sandbox.provider, sandbox.project("elsewhere"));
    const outside = converse(host, sandbox.provider, sandbox.project("no-git", { git: false }));
    const made = [sessionId];
    for (let index = 0; index < 4; index += 1) {
      made.push(await elsewhere.createSession(), await outside.createSession());
      made.push(await conversation.createSession({ parentID: sessionId }));
    }
    const archived = made[1] ?? "";
    await elsewhere.archive(archived, 1_800_000_000_000);
    for (const pageSize of [2, 5, 1000]) {
      const listed: Session[] = [];
      for await (const page of listSessions(rawClientOf(host), silentLogger, never, pageSize)) listed.push(...page);
      const ids = listed.map((session) => session.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(made));
      expect(listed.find((session) => session.id === archived)?.archivedAt).toBe(1_800_000_000_000);
      expect(listed.filter((session) => session.parentId === sessionId)).toHaveLength(4);
      expect(new Set(listed.map((session) => session.projectId)).size).toBe(3);
    }
  });
});
