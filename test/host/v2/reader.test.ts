import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { HostReader, PageCursor } from "../../../src/host/host.ts";
import { createReader } from "../../../src/host/v2/reader.ts";
import { createContextApi, createServiceApi, type SessionApi } from "../../../src/host/v2/session-api.ts";
import type { Service } from "../../../src/host/v2/service.ts";
import { getJson } from "../../../src/host/v2/http.ts";
import { type FakeOpenCode2, startFakeOpenCode2 } from "../../support/fake-opencode-2/fake-opencode-2.ts";
import { createLaterMethods } from "../../support/fake-opencode-2/plugin-context.ts";
import { createRecordingLogger } from "../../support/recording-logger.ts";

let root: string;
let host: FakeOpenCode2;
let log: ReturnType<typeof createRecordingLogger>;

const never = new AbortController().signal;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "reader-v2-"));
  host = await startFakeOpenCode2({ root });
  log = createRecordingLogger();
});

afterEach(async () => {
  await host.stop();
  await rm(root, { recursive: true, force: true });
});

/** A service that is found already. */
function serviceApi(): SessionApi {
  const registration = { file: "", version: "2.0.26", url: host.api.url, pid: 1, password: "fake-service-password" };
  const http = { fetch: (url: string, init: RequestInit) => fetch(url, init), timeoutMs: 10_000 };
  const get: Service["get"] = (path, parameters, signal) => getJson(http, registration, path, parameters, signal);
  return createServiceApi({ get, start() {}, stop() {}, trouble: () => null });
}

const ways: readonly [string, () => SessionApi | null][] = [
  ["the service's HTTP API", serviceApi],
  ["methods of the context", () => createContextApi(createLaterMethods(host.state.store))],
];

function readerOver(api: SessionApi | null): HostReader {
  if (api === null) throw new Error("This way to read does not exist.");
  return createReader(api, log);
}

async function longSession(turns: number): Promise<string> {
  const conversation = host.conversation(await host.project("app"));
  const sessionId = await conversation.createSession();
  for (let turn = 1; turn <= turns; turn += 1) {
    await conversation.say(`Prompt ${String(turn)}.`, [{ text: `Answer ${String(turn)}.` }], { sessionId });
  }
  return sessionId;
}

describe.each(ways)("reading 2.x through %s", (_, way) => {
  it("lists every session of every project, children too, in pages", async () => {
    const [one, two] = [host.conversation(await host.project("one")), host.conversation(await host.project("two"))];
    const ids = new Set<string>();
    for (let n = 0; n < 230; n += 1) ids.add(await (n % 2 === 0 ? one : two).createSession());
    const pages: number[] = [];
    const listed = new Set<string>();
    for await (const page of readerOver(way()).sessions(never)) {
      pages.push(page.length);
      for (const session of page) listed.add(session.id);
    }
    expect(listed).toEqual(ids);
    expect(pages).toEqual([200, 30, 0]);
  });

  it("walks a session's messages from the newest page back, oldest first inside a page", async () => {
    const sessionId = await longSession(4);
    const reader = readerOver(way());
    const pages: string[][] = [];
    let before: PageCursor | null = null;
    do {
      const page = await reader.messages(sessionId, { before, limit: 5 }, never);
      pages.push(page?.messages.map((message) => message.nativeType) ?? []);
      before = page?.older ?? null;
    } while (before !== null);
    expect(pages).toEqual([
      ["assistant", "idle", "user", "assistant", "idle"],
      ["idle", "user", "assistant", "idle", "user"],
      ["user", "assistant"],
      [],
    ]);
  });

  it("reads single sessions and messages, and null where there is none", async () => {
    const sessionId = await longSession(1);
    const reader = readerOver(way());
    const first = (await reader.messages(sessionId, { before: null, limit: 100 }, never))?.messages[0];
    expect(await reader.session(sessionId, never)).toMatchObject({
      id: sessionId,
      source: "v2",
      projectId: "project-app",
    });
    expect(await reader.message(sessionId, first?.id ?? "", never)).toEqual(first);
    expect(await reader.message(sessionId, "msg_none", never)).toBeNull();
    expect(await reader.session("ses_none", never)).toBeNull();
    expect(await reader.messages("ses_none", { before: null, limit: 10 }, never)).toBeNull();
  });

  it("makes a snapshot's paths absolute by the session's directory, which it asks for once", async () => {
    const location = await host.project("app");
    const filePath = join(location.directory, "src", "auth.ts");
    const { sessionId } = await host
      .conversation(location)
      .say("Write it", [{ calls: [{ tool: "write", args: { filePath, content: "x" } }] }]);
    const page = await readerOver(way()).messages(sessionId, { before: null, limit: 100 }, never);
    const parts = page?.messages.flatMap((message) => message.parts) ?? [];
    expect(parts.filter((part) => part.type === "patch")).toEqual([{ type: "patch", id: null, files: [filePath] }]);
  });

  it("heeds a signal that is aborted", async () => {
    const abort = new AbortController();
    abort.abort(new Error("stopped"));
    await expect(readerOver(way()).session("ses_1", abort.signal)).rejects.toThrow("stopped");
  });
});

describe("the context's methods", () => {
  it.each([
    ["2.0.26 has none that list", { session: { get() {} }, message: undefined }],
    ["one that lists sessions is missing", { session: { get() {} }, message: { list() {}, get() {} } }],
    ["one that lists messages is missing", { session: { get() {}, list() {} }, message: { get() {} } }],
  ])("are not read through when %s", (_, domains) => {
    expect(createContextApi(domains)).toBeNull();
  });

  it("may stand under session too", () => {
    expect(
      createContextApi({ session: { get() {}, list() {}, message: { list() {}, get() {} } }, message: null }),
    ).not.toBeNull();
  });
});

/** A reader over an API that gives these answers, whatever it is asked. */
function answering(given: Partial<Record<keyof SessionApi, unknown>>): HostReader {
  const answer = (name: keyof SessionApi) => async () => given[name];
  const [sessions, session] = [answer("sessions"), answer("session")];
  return createReader({ sessions, session, messages: answer("messages"), message: answer("message") }, log);
}

async function listedIds(reader: HostReader): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of reader.sessions(never)) ids.push(...page.map(({ id }) => id));
  return ids;
}

async function failing(): Promise<never> {
  throw Object.assign(new Error("no"), { _tag: "InvalidCursorError" });
}

describe("an answer of 2.x that is not what was asked for", () => {
  it("rejects when it holds no list or no id", async () => {
    const reader = answering({ sessions: { data: {} }, messages: {}, session: { data: {} }, message: "x" });
    const code = { name: "HostError", code: "bad-response" };
    await expect(listedIds(reader)).rejects.toMatchObject(code);
    await expect(reader.messages("ses_1", { before: null, limit: 5 }, never)).rejects.toMatchObject(code);
    await expect(reader.session("ses_1", never)).rejects.toMatchObject(code);
    await expect(reader.message("ses_1", "msg_1", never)).rejects.toMatchObject(code);
  });

  it("rejects when a cursor comes again", async () => {
    const data = [{ id: "ses_1", type: "user" }];
    const reader = answering({ sessions: { data, cursor: { next: "c" } }, messages: { data, cursor: { next: "c" } } });
    await expect(listedIds(reader)).rejects.toMatchObject({ code: "repeated-cursor" });
    const first = await reader.messages("ses_1", { before: null, limit: 5 }, never);
    expect(first?.older).toBe("c");
    const again = reader.messages("ses_1", { before: first?.older ?? null, limit: 5 }, never);
    await expect(again).rejects.toMatchObject({ code: "repeated-cursor" });
  });

  it("ends at an empty page, whatever cursor it names", async () => {
    const reader = answering({ messages: { data: [], cursor: { next: "c" } } });
    expect(await reader.messages("ses_1", { before: null, limit: 5 }, never)).toEqual({ messages: [], older: null });
  });

  it("loses what has no id, says so, and keeps the rest", async () => {
    const reader = answering({
      sessions: { data: [{ id: "ses_1" }, {}, null, { id: "ses_2" }] },
      messages: { data: [{ type: "user" }, { id: "msg_1", type: "user" }] },
    });
    expect(await listedIds(reader)).toEqual(["ses_1", "ses_2"]);
    expect((await reader.messages("ses_1", { before: null, limit: 5 }, never))?.messages).toHaveLength(1);
    expect(log.lines.map(({ fields }) => fields["dropped"])).toEqual([2, 1]);
  });

  it("comes out as a HostError, whatever a method rejected with", async () => {
    const reader = createReader({ sessions: failing, session: failing, messages: failing, message: failing }, log);
    await expect(reader.session("ses_1", never)).rejects.toMatchObject({ name: "HostError", code: "rejected" });
  });

  it.each([
    [0, 1],
    [1.9, 1],
    [100, 100],
    [500, 200],
  ])("is asked for in pages of 1 to 200 messages: %d becomes %d", async (limit, asked) => {
    const limits: number[] = [];
    const api: SessionApi = {
      sessions: failing,
      session: failing,
      message: failing,
      async messages(_, page) {
        limits.push(page.limit);
        return { data: [] };
      },
    };
    const reader = createReader(api, log);
    await reader.messages("ses_1", { before: null, limit }, never);
    expect(limits).toEqual([asked]);
  });
});
