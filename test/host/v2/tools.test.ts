import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { HostTool, ToolCall } from "../../../src/host/host.ts";
import { readContext } from "../../../src/host/v2/context.ts";
import { readEvent } from "../../../src/host/v2/raw-event.ts";
import { inputSchema, registerTools } from "../../../src/host/v2/tools.ts";
import { createTurns } from "../../../src/host/v2/turns.ts";
import { createToolBox } from "../../support/fake-opencode-2/tool-box.ts";
import { createRecordingLogger } from "../../support/recording-logger.ts";

const location = { directory: "/w/app", worktree: "/w/app", projectId: "9f1c" };

function register(execute: HostTool["execute"], options: { early?: boolean; transform?: () => unknown } = {}) {
  const box = createToolBox({ early: options.early ?? false });
  const context = readContext({
    tool: { transform: options.transform ?? ((callback: (editor: unknown) => unknown) => box.transform(callback)) },
    event: { subscribe() {} },
    session: {},
  });
  if (context === null) throw new Error("This context has all that is needed.");
  const turns = createTurns();
  const log = createRecordingLogger();
  const args = { query: z.string().describe("What to look for"), limit: z.number().int().min(1).max(50).optional() };
  const remove = registerTools(context, [{ name: "history-look", description: "Looks back", args, execute }], {
    location,
    turns,
    log,
  });
  return { box, turns, log, remove };
}

const seen = async () => "seen";

describe("a tool on 2.x", () => {
  it("is offered to the model itself, not only to its programs", () => {
    const { box } = register(seen);
    expect(box.offered().map(({ name, description }) => [name, description])).toEqual([["history-look", "Looks back"]]);
    expect(box.skipped).toEqual([]);
  });

  it("shows the model what its arguments are for, and leaves their bounds to the tool", () => {
    const args = { query: z.string().describe("What to look for"), limit: z.number().int().min(1).max(50).optional() };
    expect(inputSchema(args)).toEqual({
      type: "object",
      properties: { query: { type: "string", description: "What to look for" }, limit: { type: "integer" } },
      required: ["query"],
    });
  });

  it("answers with a list of text, which every build takes", async () => {
    for (const early of [false, true]) {
      const { box } = register(seen, { early });
      const outcome = await box.run("history-look", { query: "x" }, { sessionID: "ses_1" });
      expect(outcome).toEqual({ status: "completed", content: [{ type: "text", text: "seen" }], error: null });
    }
  });

  it("gets a limit above its cap, to lower it by itself", async () => {
    let given: unknown;
    const { box } = register(async (args) => {
      given = args;
      return "";
    });
    await box.run("history-look", { query: "x", limit: 1000 }, {});
    expect(given).toEqual({ query: "x", limit: 1000 });
  });

  it("tells the model why it failed, in the words of the tool", async () => {
    const { box } = register(() => Promise.reject(new Error('"lately" is no date. Use "last 7 days".')));
    const { content } = await box.run("history-look", { query: "x" }, {});
    expect(content).toEqual([{ type: "text", text: 'Error: "lately" is no date. Use "last 7 days".' }]);
  });

  it("knows who asks, since when, and from where", async () => {
    const calls: ToolCall[] = [];
    const { box, turns } = register(async (_, call) => {
      calls.push(call);
      return "";
    });
    const events = [
      {
        type: "session.inbox.enqueued",
        created: 5,
        data: { sessionID: "ses_1", inboxID: "m", item: { type: "user" } },
      },
      { type: "session.inbox.delivered", created: 6, data: { sessionID: "ses_1", inboxID: "m" } },
    ];
    for (const event of events.map((given) => readEvent(given))) if (event !== null) turns.note(event);
    const { signal } = new AbortController();
    await box.run("history-look", { query: "x" }, { sessionID: "ses_1", messageID: "msg_2", id: "call_1", signal });
    // July 2026: `callID`, and no signal.
    await box.run("history-look", { query: "x" }, { sessionID: "ses_2", messageID: "msg_3", callID: "call_2" });
    const place = { directory: "/w/app", projectId: "9f1c" };
    expect(calls[0]).toEqual({ ...place, sessionId: "ses_1", messageId: "msg_2", signal, turnStartedAt: 5 });
    expect(calls[1]).toMatchObject({ ...place, sessionId: "ses_2", turnStartedAt: null });
    expect(calls[1]?.signal.aborted).toBe(false);
  });

  it("survives the list of tools being built anew, and goes when its plugin goes", async () => {
    const { box, remove } = register(seen);
    box.reload();
    expect(box.offered()).toHaveLength(1);
    await remove();
    expect(box.offered()).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
  ])("is missed in the log, and nowhere else, when registering it %s", async (_, transform) => {
    const { remove, log } = register(seen, { transform });
    await remove();
    expect(log.lines).toEqual([expect.objectContaining({ level: "error", fields: { error: "no" } })]);
  });

  it("keeps still when the host gives nothing to take it away with", async () => {
    const { remove, log } = register(seen, { transform: () => undefined });
    await remove();
    expect(log.lines).toEqual([]);
  });
});
