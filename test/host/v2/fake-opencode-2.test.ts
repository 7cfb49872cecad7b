/** The fake is only worth what it refuses: each rule that it has from the fact sheet is seen to be kept. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { fieldsOf, listOf, textOf } from "../../../src/host/fields.ts";
import { methodOf } from "../../../src/host/v2/context.ts";
import { type FakeOpenCode2, startFakeOpenCode2 } from "../../support/fake-opencode-2/fake-opencode-2.ts";
import { createToolBox } from "../../support/fake-opencode-2/tool-box.ts";

let root: string;
let host: FakeOpenCode2;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "fake-opencode-2-"));
  host = await startFakeOpenCode2({ root });
});

afterEach(async () => {
  await host.stop();
  await rm(root, { recursive: true, force: true });
});

async function get(path: string, password = "fake-service-password") {
  const authorization = `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}`;
  const response = await fetch(`${host.api.url}${path}`, { headers: { authorization } });
  const body: unknown = await response.json();
  return { status: response.status, body: fieldsOf(body) };
}

async function threeTurns(): Promise<string> {
  const conversation = host.conversation(await host.project("app"));
  const sessionId = await conversation.createSession();
  for (const prompt of ["One", "Two", "Three"])
    await conversation.say(prompt, [{ text: `Said ${prompt}` }], { sessionId });
  return sessionId;
}

describe("the HTTP API of the fake 2.x", () => {
  it("answers 401 to a wrong password", async () => {
    expect(await get("/api/info", "wrong")).toMatchObject({ status: 401, body: { _tag: "UnauthorizedError" } });
  });

  it.each([
    ["/api/session/ses_none", 404, "SessionNotFoundError"],
    ["/api/session/ses_none/message", 404, "SessionNotFoundError"],
    ["/api/health", 404, "RouteNotFound"],
    ["/api/session?limit=0", 400, "InvalidRequestError"],
    ["/api/session?order=newest", 400, "InvalidRequestError"],
    ["/api/session?cursor=nonsense", 400, "InvalidCursorError"],
  ])("refuses %s with %i %s", async (path, status, tag) => {
    expect(await get(path)).toMatchObject({ status, body: { _tag: tag } });
  });

  it("refuses a page of more than 200 messages, an order beside a cursor, and a message that is not there", async () => {
    const path = `/api/session/${await threeTurns()}/message`;
    expect((await get(`${path}?limit=201`)).body["_tag"]).toBe("InvalidRequestError");
    expect((await get(`${path}?limit=200`)).status).toBe(200);
    const next = textOf(fieldsOf((await get(`${path}?limit=2`)).body["cursor"])["next"]) ?? "";
    expect((await get(`${path}?cursor=${next}`)).status).toBe(200);
    expect((await get(`${path}?cursor=${next}&order=desc`)).body["_tag"]).toBe("InvalidCursorError");
    expect(await get(`${path}/msg_none`)).toMatchObject({ status: 404, body: { _tag: "MessageNotFoundError" } });
  });

  it("names a next page on the last page too; the empty page after it names none", async () => {
    const path = `/api/session/${await threeTurns()}/message`;
    const last = await get(`${path}?limit=200`);
    const next = textOf(fieldsOf(last.body["cursor"])["next"]);
    expect(next).not.toBeNull();
    expect((await get(`${path}?limit=200&cursor=${next ?? ""}`)).body).toEqual({ data: [], cursor: {} });
  });

  it("gives the newest messages first", async () => {
    const { body } = await get(`/api/session/${await threeTurns()}/message`);
    const texts = listOf(body["data"]).map((message) => fieldsOf(message)["text"]);
    expect(texts.filter((text) => text !== undefined)).toEqual(["Three", "Two", "One"]);
  });
});

describe("the tools of the fake 2.x", () => {
  const CONTEXT = { sessionID: "ses_1" };
  const input = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
  const tool = { name: "look", description: "Looks", input, options: { codemode: false } };
  const good = { content: [{ type: "text", text: "seen" }] };

  async function run(definition: object, given: unknown = { q: "x" }, early = false) {
    const box = createToolBox({ early });
    await box.transform((editor) => methodOf(editor, "add")?.(definition));
    return { box, outcome: await box.run("look", given, CONTEXT) };
  }

  it("run with a list of text, and with a string where the build takes one", async () => {
    expect((await run({ ...tool, execute: async () => good })).outcome.status).toBe("completed");
    expect((await run({ ...tool, execute: async () => ({ content: "seen" }) })).outcome.status).toBe("completed");
    const early = { ...tool, jsonSchema: input };
    expect((await run({ ...early, execute: async () => good }, { q: "x" }, true)).outcome.status).toBe("completed");
  });

  it.each<[string, object, unknown, boolean]>([
    ["a bare string as a result", { execute: async () => "seen" }, { q: "x" }, false],
    ["an output without a schema for it", { execute: async () => ({ output: 1 }) }, { q: "x" }, false],
    ["content that is neither text nor file", { execute: async () => ({ content: [{ a: 1 }] }) }, { q: "x" }, false],
    ["missing arguments", { execute: async () => good }, {}, false],
    ["arguments of another type", { execute: async () => good }, { q: 1 }, false],
    ["a tool that is for programs only", { execute: async () => good, options: {} }, { q: "x" }, false],
    ["a tool without a schema", { execute: async () => good, input: undefined }, { q: "x" }, false],
    ["a string as content, in July", { execute: async () => ({ content: "x" }), jsonSchema: input }, { q: "x" }, true],
    ["a tool without jsonSchema, in July", { execute: async () => good }, { q: "x" }, true],
  ])("refuse %s", async (_, more, given, early) => {
    const { outcome } = await run({ ...tool, ...more }, given, early);
    expect(outcome).toMatchObject({ status: "error", error: { message: expect.any(String) } });
  });

  it("turn what a tool throws into an error of the call", async () => {
    const { outcome } = await run({ ...tool, execute: () => Promise.reject(new Error("boom")) });
    expect(outcome).toEqual({ status: "error", content: [], error: { type: "unknown", message: "boom" } });
  });

  it("refuse a transform that is not synchronous, and the name execute", async () => {
    const box = createToolBox({ early: false });
    await expect(box.transform(async () => {})).rejects.toThrow("synchronous");
    await box.transform((editor) => methodOf(editor, "add")?.({ ...tool, name: "execute", execute: async () => good }));
    expect(box.skipped).toHaveLength(1);
    expect(box.list()).toEqual([]);
  });

  it("are built anew from all transforms, the later one winning, until one is taken away", async () => {
    const box = createToolBox({ early: false });
    const first = { ...tool, name: "lo.ok", description: "first", execute: async () => good };
    await box.transform((editor) => methodOf(editor, "add")?.(first));
    const second = await box.transform((editor) => methodOf(editor, "add")?.({ ...first, description: "second" }));
    expect(box.offered().map(({ name, description }) => [name, description])).toEqual([["lo_ok", "second"]]);
    await second.dispose();
    expect(box.offered().map(({ description }) => description)).toEqual(["first"]);
  });
});

describe("the context of the fake 2.x", () => {
  it("has the keys of 2.0.26, and no way to list sessions or messages", async () => {
    const context = host.context(await host.project("app"));
    expect(Object.keys(context).sort()).toEqual(
      [
        ..."app location options agent aisdk command event experimental integration mcp model generate".split(" "),
        ..."permission plugin provider reference rpc session shell skill storage tool vcs websearch worktree".split(
          " ",
        ),
      ].sort(),
    );
    for (const name of ["list", "messages", "children", "message"]) {
      expect(fieldsOf(context["session"])).not.toHaveProperty(name);
    }
  });

  it("takes one input object with a session id", async () => {
    const ask = methodOf(host.context(await host.project("app"))["session"], "get");
    await expect(ask?.("ses_1")).rejects.toThrow("one input");
    await expect(ask?.({ sessionID: "ses_none" })).rejects.toThrow("not found");
  });
});

describe("the event stream of the fake 2.x", () => {
  it("carries the events of all locations to whoever listens, from then on", async () => {
    const [one, two] = [await host.project("one"), await host.project("two")];
    await host.conversation(one).createSession();
    const stream = host.state.bus.subscribe()[Symbol.asyncIterator]();
    await host.conversation(two).createSession();
    expect((await stream.next()).value).toMatchObject({
      type: "session.created",
      location: { directory: two.directory },
    });
    host.state.bus.endStreams(new Error("could not encode an event"));
    await expect(stream.next()).rejects.toThrow("could not encode");
  });

  it("tells of permissions in events alone", async () => {
    const conversation = host.conversation(await host.project("app"));
    const turn = conversation.say("Run it", [{ calls: [{ tool: "bash", args: { command: "echo ask" } }] }]);
    const requestId = await conversation.answerPermission("reject");
    const { sessionId, toolResults } = await turn;
    const events = host.state.bus.published.map((event) => event["type"]);
    expect(events.filter((type) => String(type).startsWith("permission."))).toEqual([
      "permission.asked",
      "permission.replied",
    ]);
    expect(events).toContain("session.execution.interrupted");
    expect(toolResults).toEqual([]);
    expect(JSON.stringify(await conversation.messages(sessionId))).not.toContain(requestId);
  });
});
