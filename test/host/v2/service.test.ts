import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createService, type Service } from "../../../src/host/v2/service.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { type FakeOpenCode2, startFakeOpenCode2 } from "../../support/fake-opencode-2/fake-opencode-2.ts";
import { createRecordingLogger } from "../../support/recording-logger.ts";

let root: string;
let host: FakeOpenCode2;
let clock: FakeClock;
let log: ReturnType<typeof createRecordingLogger>;
let service: Service;
let foundAgain: number;

const never = new AbortController().signal;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "service-"));
  host = await startFakeOpenCode2({ root, registered: false });
  clock = new FakeClock();
  log = createRecordingLogger();
  foundAgain = 0;
  service = create();
});

afterEach(async () => {
  service.stop();
  await host.stop();
  await rm(root, { recursive: true, force: true });
});

function create(given: { channel?: string | null; isAlive?: (pid: number) => boolean; timeoutMs?: number } = {}) {
  return createService({
    clock,
    log,
    http: { fetch: (url, init) => fetch(url, init), timeoutMs: given.timeoutMs ?? 10_000 },
    folder: host.stateFolder,
    channel: given.channel ?? null,
    pid: process.pid,
    isAlive: given.isAlive ?? (() => true),
    onFoundAgain: () => {
      foundAgain += 1;
    },
  });
}

/** Lets the search go on, whose files and sockets take real time, until it has come to what is waited for. */
async function searchUntil(what: string, reached: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (reached()) return;
    await clock.advance(1000);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  throw new Error(`The search did not come to this: ${what}. ${service.trouble() ?? ""}`);
}

const isFound = () => service.trouble() === null;

describe("the search for the service", () => {
  it("begins when it is told to, and finds what is registered", async () => {
    await host.register();
    expect(service.trouble()).toContain("still being looked for");
    service.start();
    service.start();
    await searchUntil("found", isFound);
    expect(await service.get("/api/info", {}, never)).toMatchObject({ pid: process.pid, version: "2.0.26" });
    expect(foundAgain).toBe(0);
  });

  it("goes on without an end, in one log line, until a service registers", async () => {
    service.start();
    await searchUntil("told", () => log.lines.length > 0);
    for (let minute = 0; minute < 30; minute += 1) await clock.advance(60_000);
    expect(log.lines).toEqual([
      { level: "warn", message: expect.stringContaining("not being read"), fields: expect.anything() },
    ]);
    expect(service.trouble()).toContain("opencode serve --service");
    await expect(service.get("/api/session", {}, never)).rejects.toMatchObject({
      name: "HostError",
      code: "unavailable",
    });
    await host.register();
    await searchUntil("found", isFound);
    expect(log.lines.map(({ level }) => level)).toEqual(["warn", "info"]);
  });

  it.each<[string, Parameters<FakeOpenCode2["register"]>[0], RegExp]>([
    ["is older than 2.0.16", { version: "2.0.15" }, /version 2\.0\.15.*>=2\.0\.16 <3/u],
    ["is of 3.x", { version: "3.0.0" }, /version 3\.0\.0/u],
    ["answers under another version", { version: "2.0.20" }, /answers as version 2\.0\.26/u],
    ["answers under another process", { pid: 1 }, /process \d+, not as .*service\.json says/u],
    ["has another password", { password: "other" }, /401, UnauthorizedError/u],
    ["listens on another machine", { url: "http://192.0.2.1:1" }, /not an http address of this machine/u],
    ["does not listen", { url: "http://127.0.0.1:9" }, /does not answer/u],
  ])("says why it does not use a service that %s", async (_, content, reason) => {
    await host.register(content);
    service.start();
    await searchUntil("refused", () => reason.test(service.trouble() ?? ""));
    expect(service.trouble()).toMatch(reason);
  });

  it("sends no password to the port of a server that has ended", async () => {
    service = create({ isAlive: (pid) => pid !== 77 });
    await host.register({ pid: 77 });
    service.start();
    await searchUntil("refused", () => service.trouble()?.includes("left over") === true);
    expect(host.api.requests).toEqual([]);
  });

  it("prefers what this process registered to the channel's own file", async () => {
    service = create({ channel: "latest" });
    await host.register({ pid: 1, url: "http://127.0.0.1:9" });
    await host.register({}, "service-pr.json");
    service.start();
    await searchUntil("found", isFound);
    expect(await service.get("/api/info", {}, never)).toMatchObject({ pid: process.pid });
  });

  it("begins again when the service is gone, and tells when it is back", async () => {
    await host.register();
    service.start();
    await searchUntil("found", isFound);
    host.api.interfere(() => ({ status: 503, body: "{}" }));
    await expect(service.get("/api/session", {}, never)).rejects.toMatchObject({ code: "unavailable" });
    expect(service.trouble()).toContain("does not answer any more");
    await searchUntil("missed", () => service.trouble()?.includes("503") === true && log.lines.length > 1);
    host.api.interfere(null);
    await searchUntil("found again", isFound);
    expect(foundAgain).toBe(1);
  });

  it("takes no failure of one session for the loss of the service", async () => {
    await host.register();
    service.start();
    await searchUntil("found", isFound);
    host.api.interfere((path) => (path.includes("ses_bad") ? { status: 500, body: "oh" } : null));
    await expect(service.get("/api/session/ses_bad", {}, never)).rejects.toMatchObject({ code: "rejected" });
    expect(isFound()).toBe(true);
  });

  it("ends when it is stopped", async () => {
    service.start();
    service.stop();
    await host.register();
    for (let round = 0; round < 10; round += 1) await clock.advance(30_000);
    expect(service.trouble()).toContain("unloaded");
    expect(host.api.requests).toEqual([]);
  });
});

describe("a request to the service", () => {
  beforeEach(async () => {
    await host.register();
    service = create({ timeoutMs: 300 });
    service.start();
    await searchUntil("found", isFound);
  });

  it.each([
    [
      "null for a session that does not exist",
      404,
      '{"_tag":"SessionNotFoundError","message":"Session not found"}',
      null,
    ],
    ["null for a message that does not exist", 404, '{"_tag":"MessageNotFoundError"}', null],
    ["what was answered", 200, '{"data":1}', { data: 1 }],
  ])("gives %s", async (_, status, body, expected) => {
    host.api.interfere(() => ({ status, body }));
    expect(await service.get("/api/session/ses_1", {}, never)).toEqual(expected);
  });

  it.each([
    [
      "a route that does not exist",
      404,
      '{"_tag":"RouteNotFound","message":"No route"}',
      "rejected",
      /404, RouteNotFound/u,
    ],
    ["404 without words", 404, "", "rejected", /404\./u],
    [
      "a refused request",
      400,
      '{"_tag":"InvalidCursorError","message":"Bad cursor"}',
      "rejected",
      /400, InvalidCursor/u,
    ],
    ["a password that is not taken any more", 401, '{"_tag":"UnauthorizedError"}', "unavailable", /401/u],
    ["an answer that is no JSON", 200, "<html>", "bad-response", /without JSON/u],
  ])("rejects with a HostError for %s", async (_, status, body, code, message) => {
    host.api.interfere(() => ({ status, body }));
    const answer = service.get("/api/session/ses_1", {}, never);
    await expect(answer).rejects.toMatchObject({ name: "HostError", code, message: expect.stringMatching(message) });
  });

  it("rejects with the signal's reason when it is aborted", async () => {
    const abort = new AbortController();
    const reason = new Error("the person pressed escape");
    abort.abort(reason);
    await expect(service.get("/api/session", {}, abort.signal)).rejects.toBe(reason);
    expect(isFound()).toBe(true);
  });
});

describe("a server that redirects", () => {
  it("is not followed, because the password would go along", async () => {
    const followed: string[] = [];
    const server = createServer((request, response) => {
      followed.push(request.url ?? "");
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      await host.register({ url: `http://127.0.0.1:${String(port)}` });
      service.start();
      await searchUntil("refused", () => service.trouble()?.includes("does not answer") === true);
      expect(new Set(followed)).toEqual(new Set(["/api/info"]));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
