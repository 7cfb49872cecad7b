import { describe, expect, it } from "vitest";

import { createRawClient } from "../../../src/host/v1/raw-client.ts";
import { createReader } from "../../../src/host/v1/reader.ts";
import { createFakeV1Client } from "../../support/fake-v1-client.ts";
import type { FakeAnswer, FakeRequest } from "../../support/fake-v1-client.ts";
import { createRecordingLogger } from "../../support/recording-logger.ts";

const never = new AbortController().signal;

function setUp(answer: (request: FakeRequest) => FakeAnswer) {
  const { client, requests } = createFakeV1Client(answer);
  const log = createRecordingLogger();
  return { reader: createReader(createRawClient(client), log), requests, log };
}

const message = (id: string, created: number) => ({
  info: { id, role: "user", sessionID: "ses_1", time: { created } },
  parts: [{ id: "prt_1", type: "text", text: id }],
});

describe("reading messages of 1.18", () => {
  it("asks for a page from the newest on, and passes the host's cursor back as it came", async () => {
    const { reader, requests } = setUp(({ query }) => ({
      body: query["before"] === undefined ? [message("msg_3", 3)] : [message("msg_1", 1), message("msg_2", 2)],
      headers: query["before"] === undefined ? { "x-next-cursor": "older-than-3" } : {},
    }));
    const newest = await reader.messages("ses_1", { before: null, limit: 1 }, never);
    expect(newest?.messages.map((m) => m.id)).toEqual(["msg_3"]);
    expect(newest?.older).toBe("older-than-3");
    const oldest = await reader.messages("ses_1", { before: newest?.older ?? null, limit: 2 }, never);
    expect(oldest?.messages.map((m) => m.id)).toEqual(["msg_1", "msg_2"]);
    expect(oldest?.older).toBeNull();
    expect(requests.map((request) => [request.path, request.query["limit"], request.query["before"]])).toEqual([
      ["/session/ses_1/message", "1", undefined],
      ["/session/ses_1/message", "2", "older-than-3"],
    ]);
  });

  // limit=0 would answer with the whole session at once.
  it.each([
    [0, "1"],
    [-5, "1"],
    [1.9, "1"],
    [100, "100"],
    [5000, "100"],
  ])("never asks for %j messages but for %s", async (limit, asked) => {
    const { reader, requests } = setUp(() => ({ body: [] }));
    await reader.messages("ses_1", { before: null, limit }, never);
    expect(requests[0]?.query["limit"]).toBe(asked);
  });

  it("makes the cursor that the host would give for the page before a message", async () => {
    const { reader } = setUp(() => ({ body: [] }));
    const cursor = reader.cursorBefore({ id: "msg_22f68a75a001L4JbobtQh4tcU5", createdAt: 1_796_091_717_466 });
    // Taken from a real answer's x-next-cursor.
    expect(cursor).toBe("eyJpZCI6Im1zZ18yMmY2OGE3NWEwMDFMNEpib2J0UWg0dGNVNSIsInRpbWUiOjE3OTYwOTE3MTc0NjZ9");
  });

  it("leaves out a message without an id, says so, and keeps the others", async () => {
    const { reader, log } = setUp(() => ({ body: [{ info: {}, parts: [] }, null, message("msg_2", 2)] }));
    const page = await reader.messages("ses_1", { before: null, limit: 10 }, never);
    expect(page?.messages.map((m) => m.id)).toEqual(["msg_2"]);
    expect(log.lines.map((line) => line.fields)).toEqual([{ sessionId: "ses_1", dropped: 2 }]);
  });

  it("encodes ids, so that no id reaches another route", async () => {
    const { reader, requests } = setUp(() => ({ body: [] }));
    await reader.messages("ses_1/../ses_2?x=1", { before: null, limit: 1 }, never);
    expect(requests[0]?.path).toBe("/session/ses_1%2F..%2Fses_2%3Fx%3D1/message");
  });
});

describe("what 1.18 does not have", () => {
  const { reader } = setUp(() => ({ status: 404, body: { name: "NotFoundError", data: { message: "no such" } } }));

  it("is a null session, null messages, a null message", async () => {
    expect(await reader.session("ses_1", never)).toBeNull();
    expect(await reader.messages("ses_1", { before: null, limit: 10 }, never)).toBeNull();
    expect(await reader.message("ses_1", "msg_1", never)).toBeNull();
  });

  // The host answers these with 500 or 400, and a stack trace in its log.
  it.each([["../ses_1"], ["SES_1"], [" ses_1"], ["CON"], ["msg_1"], [""]])(
    "is what a session id like %j would name, and the host is not asked",
    async (id) => {
      const asked = setUp(() => ({ status: 500, body: "oops" }));
      expect(await asked.reader.session(id, never)).toBeNull();
      expect(await asked.reader.messages(id, { before: null, limit: 10 }, never)).toBeNull();
      expect(await asked.reader.message(id, "msg_1", never)).toBeNull();
      expect(asked.requests).toEqual([]);
    },
  );

  it.each([["../msg_1"], ["ses_1"], [""]])("is what a message id like %j would name", async (id) => {
    const asked = setUp(() => ({ status: 400, body: "oops" }));
    expect(await asked.reader.message("ses_1", id, never)).toBeNull();
    expect(asked.requests).toEqual([]);
  });
});

describe("answers of 1.18 that cannot be used", () => {
  const before = setUp(() => ({})).reader.cursorBefore({ id: "msg_1", createdAt: 1 });
  const page = { before, limit: 10 };

  it.each<[string, FakeAnswer, string, RegExp]>([
    ["no list", { body: { messages: [] } }, "bad-response", /messages of ses_1 are not a list/u],
    ["no JSON", { body: "<html>" }, "bad-response", /GET \/session\/ses_1\/message .*6 characters of no JSON/u],
    [
      "the same cursor again",
      { body: [], headers: { "x-next-cursor": before ?? "" } },
      "repeated-cursor",
      /twice for messages of ses_1/u,
    ],
    ["a refusal", { status: 400, body: { data: { message: "bad cursor" } } }, "rejected", /400: bad cursor/u],
    ["a failure", { status: 500, body: "oops" }, "unavailable", /500: oops/u],
  ])("%s is a HostError that says what was wrong", async (_, answer, code, text) => {
    const { reader } = setUp(() => answer);
    await expect(reader.messages("ses_1", page, never)).rejects.toMatchObject({
      name: "HostError",
      code,
      message: expect.stringMatching(text),
    });
  });

  it.each([["session"], ["message"]] as const)("a %s without an id is a HostError", async (method) => {
    const { reader } = setUp(() => ({ body: { title: "x" } }));
    const asked = method === "session" ? reader.session("ses_1", never) : reader.message("ses_1", "msg_1", never);
    await expect(asked).rejects.toMatchObject({ code: "bad-response" });
  });

  it("no answer at all is unavailable, with the reason", async () => {
    const { reader } = setUp(() => {
      throw new Error("socket hang up");
    });
    await expect(reader.session("ses_1", never)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("socket hang up"),
    });
  });

  it("a client without the raw part is unavailable, not a TypeError", async () => {
    const { client } = createFakeV1Client(() => ({ body: [] }));
    Reflect.deleteProperty(client, "_client");
    const reader = createReader(createRawClient(client), createRecordingLogger());
    await expect(reader.session("ses_1", never)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("an aborted call rejects with the signal's reason", async () => {
    const abort = new AbortController();
    const { reader } = setUp(() => {
      abort.abort(new Error("enough"));
      return { body: [] };
    });
    await expect(reader.messages("ses_1", page, abort.signal)).rejects.toThrow("enough");
    await expect(reader.messages("ses_1", page, abort.signal)).rejects.toThrow("enough");
  });
});
