import { describe, expect, it, vi } from "vitest";
import { z } from "zod";

import type { HostEvent, HostInstance, HostTool, StartInstance, ToolCall } from "../../../src/host/host.ts";
import { serveV1 } from "../../../src/host/v1/server.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { HISTORY_TOOLS } from "../../../src/session/session.ts";
import { createFakeV1Client } from "../../support/fake-v1-client.ts";
import type { FakeAnswer, FakeRequest } from "../../support/fake-v1-client.ts";

const project = { id: "project-1", worktree: "/w", time: { created: 1 } };

function input(worktree: string, answer: (request: FakeRequest) => FakeAnswer = () => ({ body: true })) {
  const { client, requests } = createFakeV1Client(answer);
  return { input: { client, project, directory: "/w/app", worktree }, requests };
}

function instance(parts: Partial<HostInstance> = {}): HostInstance {
  return { tools: [], commands: [], onEvent() {}, dispose: async () => {}, ...parts };
}

function tool(execute: HostTool["execute"]): HostTool {
  return { name: "history-read", description: "Reads.", args: { session: z.string() }, execute };
}

const context = {
  sessionID: "ses_1",
  messageID: "msg_9",
  agent: "build",
  directory: "/w/app/sub",
  worktree: "/w",
  abort: new AbortController().signal,
  metadata() {},
  ask: async () => {},
};

const serve = async (start: StartInstance, worktree = "/w") => serveV1(start, systemClock)(input(worktree).input, {});

describe("the server function of 1.18", () => {
  it("starts one instance with the location and the options, and calls no route of the host", async () => {
    const { input: given, requests } = input("/w");
    const start = vi.fn<StartInstance>(() => instance());
    await serveV1(start, systemClock)(given, { archive: false });
    expect(start.mock.calls[0]?.[0]).toMatchObject({
      source: "v1",
      location: { directory: "/w/app", worktree: "/w", projectId: "project-1" },
    });
    expect(start.mock.calls[0]?.[1]).toEqual({ archive: false });
    expect(requests).toEqual([]);
  });

  it.each([["/"], [""]])("takes the worktree %j for none", async (worktree) => {
    const start = vi.fn<StartInstance>(() => instance());
    await serve(start, worktree);
    expect(start.mock.calls[0]?.[0].location.worktree).toBeNull();
  });

  it("hands events on, and survives an instance that throws at them", async () => {
    const events: HostEvent[] = [];
    const hooks = await serve(() =>
      instance({
        onEvent: (event) => {
          events.push(event);
          throw new Error("no room");
        },
      }),
    );
    await hooks.event?.({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
    await hooks["tool.execute.after"]?.(
      { tool: "bash", sessionID: "ses_1", callID: "c", args: {} },
      { title: "", output: "", metadata: {} },
    );
    expect(events).toEqual([
      { type: "session-idle", sessionId: "ses_1" },
      { type: "tool-finished", sessionId: "ses_1", messageId: null },
    ]);
  });

  it("disposes the instance once, waits for it, and takes no events afterwards", async () => {
    const seen: string[] = [];
    const hooks = await serve(() =>
      instance({
        onEvent: () => void seen.push("event"),
        dispose: async () => {
          await Promise.resolve();
          seen.push("disposed");
        },
      }),
    );
    await Promise.all([hooks.dispose?.(), hooks.dispose?.()]);
    await hooks.event?.({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
    expect(seen).toEqual(["disposed"]);
  });

  it.each([
    ["rejects", async () => Promise.reject(new Error("stuck"))],
    [
      "throws",
      (): Promise<void> => {
        throw new Error("stuck");
      },
    ],
  ])("ends quietly when the instance's end %s", async (_, dispose) => {
    const hooks = await serve(() => instance({ dispose }));
    await expect(hooks.dispose?.()).resolves.toBeUndefined();
  });
});

describe("commands in 1.18", () => {
  const history = { name: "history", description: "Search", template: "Search for $ARGUMENTS" };

  it("are added to the configuration, beside those of the user", async () => {
    const hooks = await serve(() => instance({ commands: [history] }));
    const config = { command: { review: { template: "Review" } } };
    await hooks.config?.(config);
    expect(config.command).toEqual({
      review: { template: "Review" },
      history: { description: "Search", template: "Search for $ARGUMENTS" },
    });
  });

  it("give way to a user's command of the same name", async () => {
    const hooks = await serve(() => instance({ commands: [history] }));
    const config = { command: { history: { template: "My own" } } };
    await hooks.config?.(config);
    expect(config.command).toEqual({ history: { template: "My own" } });
  });
});

describe("an instance that cannot start", () => {
  it("still gives an object with the four tools, which answer why, and one log line", async () => {
    const { input: given, requests } = input("/w");
    const hooks = await serveV1(() => {
      throw new Error("the disk is gone");
    }, systemClock)(given, {});
    expect(Object.keys(hooks.tool ?? {})).toEqual([...HISTORY_TOOLS]);
    await expect(hooks.tool?.["history-read"]?.execute({}, context)).rejects.toThrow(
      "The history of past sessions is not available: the disk is gone",
    );
    await hooks.event?.({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
    await hooks.dispose?.();
    expect(requests.map((request) => request.path)).toEqual(["/log"]);
    expect(requests[0]?.body).toContain("the disk is gone");
  });
});

const startAndWarn: StartInstance = (host) => {
  host.log.warn("the index is damaged", { sessions: 3 });
  return instance();
};

describe("the host's log", () => {
  it("takes our lines, and its failure is nobody's business", async () => {
    const { input: given, requests } = input("/w", () => {
      throw new Error("no log today");
    });
    await serveV1(startAndWarn, systemClock)(given, {});
    await vi.waitFor(() => {
      expect(requests).toHaveLength(1);
    });
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
      service: "opencode-history",
      level: "warn",
      message: "opencode-history: the index is damaged",
      extra: { sessions: 3 },
    });
  });
});

async function callTool(extra: Record<string, unknown>, execute: HostTool["execute"] = async () => "found") {
  const seen: { args?: unknown; call?: ToolCall } = {};
  const hooks = await serve(() =>
    instance({
      tools: [
        tool(async (args, toolCall) => {
          seen.args = args;
          seen.call = toolCall;
          return execute(args, toolCall);
        }),
      ],
    }),
  );
  const answer = await hooks.tool?.["history-read"]?.execute({ session: 5, other: true }, { ...context, ...extra });
  return { ...seen, answer };
}

describe("tools in 1.18", () => {
  it("get their arguments as the model sent them, and answer with text", async () => {
    const { args, answer } = await callTool({});
    expect(args).toEqual({ session: 5, other: true });
    expect(answer).toBe("found");
  });

  it("know where they were called, and when the asking turn began", async () => {
    const messages = [
      { info: { role: "user", time: { created: 10 } } },
      { info: { role: "assistant", time: { created: 11 } } },
      { info: { role: "user", time: { created: 20 } } },
      { info: { role: "assistant", time: { created: 21 } } },
    ];
    const { call: made } = await callTool({ messages });
    expect(made).toEqual({
      sessionId: "ses_1",
      messageId: "msg_9",
      directory: "/w/app/sub",
      projectId: "project-1",
      signal: context.abort,
      turnStartedAt: 20,
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["no messages", {}],
    ["messages of another shape", { messages: { 0: "x" } }],
    ["no user message", { messages: [{ info: { role: "assistant", time: { created: 1 } } }] }],
  ])("with %s do not know when the turn began", async (_, extra) => {
    expect((await callTool(extra)).call?.turnStartedAt).toBeNull();
  });

  it("reject with the message that is meant for the model", async () => {
    const failing = callTool({}, async () => {
      throw new Error("Say which session to read.");
    });
    await expect(failing).rejects.toThrow("Say which session to read.");
  });
});
