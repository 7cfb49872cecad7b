import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Host, HostEvent, HostInstance, StartInstance } from "../../../src/host/host.ts";
import { type Cleanup, setupV2, type V2Setup } from "../../../src/host/v2/setup.ts";
import type { Registry } from "../../../src/host/v2/shared-process.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { type FakeOpenCode2, startFakeOpenCode2 } from "../../support/fake-opencode-2/fake-opencode-2.ts";
import { createPoorContext } from "../../support/fake-opencode-2/plugin-context.ts";
import { createRecordingLogger } from "../../support/recording-logger.ts";

interface Started {
  readonly host: Host;
  readonly options: unknown;
  readonly events: HostEvent[];
  disposed: boolean;
}

let root: string;
let fake: FakeOpenCode2;
let clock: FakeClock;
let log: ReturnType<typeof createRecordingLogger>;
let registry: Registry;
let started: Started[];
let cleanups: Cleanup[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "setup-v2-"));
  // Unregistered: what the search for the service finds, and when, is not the matter here.
  fake = await startFakeOpenCode2({ root, registered: false });
  clock = new FakeClock();
  log = createRecordingLogger();
  registry = {};
  started = [];
  cleanups = [];
});

afterEach(async () => {
  for (const cleanup of cleanups) await cleanup();
  await fake.stop();
  await rm(root, { recursive: true, force: true });
});

const start: StartInstance = (host, options): HostInstance => {
  const record: Started = { host, options, events: [], disposed: false };
  started.push(record);
  return {
    tools: [
      { name: "history-look", description: "Looks back", args: {}, execute: async () => host.location.directory },
    ],
    commands: [],
    onEvent: (event) => void record.events.push(event),
    async dispose() {
      record.disposed = true;
    },
  };
};

/** Another copy of the package: functions of its own, one process. */
function copyOfPlugin(begin: StartInstance = start): V2Setup {
  return setupV2(begin, clock, () => ({
    log,
    fetch: (url, init) => fetch(url, init),
    pid: process.pid,
    stateFolder: fake.stateFolder,
    workingDirectory: root,
    registry,
    isAlive: () => true,
  }));
}

function setUp(context: unknown, plugin: V2Setup = copyOfPlugin()): Cleanup | undefined {
  const cleanup = plugin(context);
  if (cleanup !== undefined) cleanups.push(cleanup);
  return cleanup;
}

async function early(): Promise<FakeOpenCode2> {
  await fake.stop();
  fake = await startFakeOpenCode2({ root, registered: false, early: true });
  return fake;
}

describe("setup in a context that lacks what it needs", () => {
  it.each<[string, unknown]>([
    ["that of OpenCode 1.18, which calls setup beside server", createPoorContext({})],
    ["one without events", { tool: { transform() {} }, session: {} }],
    ["one without tools", { event: { subscribe() {} }, session: {} }],
    ["one without sessions", { tool: { transform() {} }, event: { subscribe() {} } }],
    ["one of other shapes", { tool: { transform: true }, event: [], session: "x" }],
    [
      "one that throws when it is read",
      {
        get tool() {
          throw new Error("not yet");
        },
      },
    ],
    ["nothing", undefined],
    ["null", null],
  ])("does nothing: %s", (_, context) => {
    expect(setUp(context)).toBeUndefined();
    expect(started).toEqual([]);
    expect(registry).toEqual({});
    expect(log.lines).toEqual([]);
  });
});

describe("setup in a location of 2.x", () => {
  it("has everything in place when it returns, without having waited for anybody", async () => {
    const location = await fake.project("app");
    const cleanup = setUp(fake.context(location, { archive: false }));
    expect(cleanup).toBeTypeOf("function");
    expect(
      fake
        .tools(location)
        .offered()
        .map(({ name }) => name),
    ).toEqual(["history-look"]);
    expect(started).toHaveLength(1);
    expect(started[0]?.options).toEqual({ archive: false });
    expect(started[0]?.host).toMatchObject({
      source: "v2",
      version: "2.0.26",
      location: { directory: location.directory, worktree: location.directory, projectId: "project-app" },
    });
    expect(started[0]?.host.availability()).toEqual({ ready: false, reason: expect.stringContaining("looked for") });
    expect(fake.api.requests).toEqual([]);
  });

  it("knows no worktree where there is no git", async () => {
    setUp(fake.context(await fake.project("notes", { git: false })));
    expect(started[0]?.host.location).toMatchObject({ worktree: null, projectId: "global" });
  });

  it("follows events from the first moment, without the service", async () => {
    const location = await fake.project("app");
    setUp(fake.context(location));
    await settle(5);
    await fake.conversation(location).say("Hello", [{ text: "Hi" }]);
    await settle(5);
    const types = new Set(started[0]?.events.map(({ type }) => type));
    expect(types).toEqual(
      new Set(["session-created", "message-changed", "session-busy", "session-idle", "session-changed"]),
    );
  });

  it("gives each instance the events of its own location", async () => {
    const [one, two] = [await fake.project("one"), await fake.project("two")];
    const plugin = copyOfPlugin();
    setUp(fake.context(one), plugin);
    setUp(fake.context(two), plugin);
    await settle(5);
    expect(fake.state.bus.subscribers).toBe(1);
    const sessionId = await fake.conversation(two).createSession();
    await settle(5);
    expect(started[0]?.events).toEqual([]);
    expect(started[1]?.events).toEqual([{ type: "session-created", sessionId, session: null }]);
  });

  it("ends: no tools, no events, the instance disposed, nothing left on the process", async () => {
    const location = await fake.project("app");
    const cleanup = setUp(fake.context(location));
    await settle(5);
    await cleanup?.();
    await cleanup?.();
    expect(fake.tools(location).offered()).toEqual([]);
    expect(fake.state.bus.subscribers).toBe(0);
    expect(started[0]?.disposed).toBe(true);
    expect(registry).toEqual({});
    expect(clock.sleeping).toBe(0);
  });

  it("goes on without an instance that cannot start, and says so", async () => {
    const location = await fake.project("app");
    const plugin = copyOfPlugin(() => {
      throw new Error("no disk");
    });
    await setUp(fake.context(location), plugin)?.();
    expect(log.lines).toEqual([expect.objectContaining({ level: "error", fields: { error: "no disk" } })]);
  });

  it("survives an instance that throws at an event, or cannot end", async () => {
    const location = await fake.project("app");
    const plugin = copyOfPlugin((host, options) => ({
      ...start(host, options),
      onEvent() {
        throw new Error("cannot take it");
      },
      dispose: () => Promise.reject(new Error("cannot end")),
    }));
    const cleanup = setUp(fake.context(location), plugin);
    await settle(5);
    await fake.conversation(location).createSession();
    await settle(5);
    await cleanup?.();
    expect(log.lines.map(({ fields }) => fields["error"])).toEqual(["cannot take it", "cannot end"]);
  });
});

describe("a package that is loaded twice (case 66)", () => {
  it("works once, says so in one line, and takes over when the first copy leaves", async () => {
    const location = await fake.project("app");
    const first = setUp(fake.context(location));
    const second = setUp(fake.context(location));
    await settle(5);
    expect(started).toHaveLength(1);
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", expect.stringContaining("loaded twice")],
    ]);
    await first?.();
    expect(started).toHaveLength(2);
    expect(fake.tools(location).offered()).toHaveLength(1);
    const sessionId = await fake.conversation(location).createSession();
    await settle(5);
    expect(started[1]?.events).toContainEqual({ type: "session-created", sessionId, session: null });
    await second?.();
    expect(fake.tools(location).offered()).toEqual([]);
    expect(registry).toEqual({});
  });

  it("leaves the first copy alone when the idle one leaves", async () => {
    const location = await fake.project("app");
    setUp(fake.context(location));
    await setUp(fake.context(location))?.();
    expect(started).toHaveLength(1);
    expect(started[0]?.disposed).toBe(false);
    expect(fake.tools(location).offered()).toHaveLength(1);
  });

  it("works in each location", async () => {
    const plugin = copyOfPlugin();
    setUp(fake.context(await fake.project("one")), plugin);
    setUp(fake.context(await fake.project("two")), plugin);
    expect(started).toHaveLength(2);
    expect(log.lines).toEqual([]);
  });
});

describe("a build as poor as those of July 2026", () => {
  it("gets working tools and events, and is told that its history cannot be read", async () => {
    await early();
    const location = await fake.project("app");
    setUp(fake.context(location));
    await settle(5);
    const conversation = fake.conversation(location);
    const turn = await conversation.say("Look back", [{ calls: [{ tool: "history-look", args: {} }] }]);
    expect(turn.toolResults).toEqual([expect.objectContaining({ tool: "history-look", text: root })]);
    expect(started[0]?.host).toMatchObject({ version: null, location: { directory: root, worktree: null } });
    expect(started[0]?.host.availability().ready).toBe(false);
    await settle(5);
    expect(started[0]?.events.length).toBeGreaterThan(0);
  });

  it("gets tools in each of two places, though it cannot name them", async () => {
    await early();
    const [one, two] = [await fake.project("one"), await fake.project("two")];
    const plugin = copyOfPlugin();
    setUp(fake.context(one), plugin);
    setUp(fake.context(two), plugin);
    expect([one, two].map((location) => fake.tools(location).offered().length)).toEqual([1, 1]);
    await settle(5);
    await fake.conversation(two).createSession();
    await settle(5);
    expect(started.map(({ events }) => events.length)).toEqual([1, 0]);
  });
});
