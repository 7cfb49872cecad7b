import { createHash } from "node:crypto";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { Archive } from "../../src/archive/archive.ts";
import type { SessionSink } from "../../src/sync/sink.ts";
import {
  assistantMessage,
  buildConversation,
  buildMessage,
  compactionPart,
  filePart,
  patchPart,
  reasoningPart,
  subtaskPart,
  textPart,
  toolPart,
  userMessage,
} from "../support/builders.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { fullPass, Harness, update } from "./harness.ts";

let harness: Harness;
let archive: Archive;
beforeEach(async () => {
  harness = await Harness.make();
  archive = harness.open();
});
afterEach(() => harness.dispose());

const later = (minutes: number) => Date.UTC(2026, 6, 29, 10, 28 + minutes, 32);

describe("a session's file", () => {
  test("holds prompts, replies, calls, sub-tasks, files and errors under the names of the format", async () => {
    const sink: SessionSink = archive;
    const png = Buffer.from("not really a picture");
    await fullPass(sink, harness.session({ title: "Fix auth" }), [
      userMessage("msg_1", "Fix it"),
      assistantMessage(
        "msg_2",
        [
          reasoningPart("Let me look"),
          toolPart("read", { filePath: "src/a.ts" }, { output: "…" }),
          toolPart("bash", { command: "false" }, { status: "error", error: "exit 1" }),
          subtaskPart("Find uses", { description: "find uses" }),
          filePart({ filename: "a.png", mime: "image/png", url: `data:image/png;base64,${png.toString("base64")}` }),
          patchPart(["/w/app/a.ts"]),
        ],
        { createdAt: later(1), cost: 0.25, model: { providerId: "p", modelId: "m" } },
      ),
      assistantMessage("msg_3", [], {
        createdAt: later(2),
        error: { name: "APIError", message: "not available", statusCode: 403, isRetryable: false },
      }),
    ]);
    await archive.flush();

    const file = await harness.json("ses_1.json");
    expect(file).toMatchObject({
      id: "ses_1",
      title: "Fix auth",
      startedAt: "2026-07-29T10:28:32.000Z",
      updatedAt: "2026-07-29T10:29:32.000Z",
      compactedAt: null,
      parentId: null,
      subSessions: [],
      deletedAt: null,
      turns: [
        { role: "user", messageId: "msg_1", timestamp: "2026-07-29T10:28:32.000Z" },
        { role: "assistant", messageId: "msg_2", cost: 0.25, model: "p/m" },
        {
          role: "assistant",
          messageId: "msg_3",
          parts: [],
          error: { name: "APIError", message: "not available", statusCode: 403, isRetryable: false },
        },
      ],
      removedTurns: [],
      permissions: [],
      errors: [{ name: "APIError", message: "not available", statusCode: 403, sessionID: "ses_1", messageId: "msg_3" }],
    });
    expect(file.turns[0]?.parts).toEqual([{ type: "text", text: "Fix it" }]);
    expect(file.turns[1]?.parts).toEqual([
      { type: "thinking", text: "Let me look" },
      expect.objectContaining({
        type: "tool",
        toolName: "read",
        toolInput: { filePath: "src/a.ts" },
        toolOutput: "…",
        isError: false,
      }),
      expect.objectContaining({ type: "tool", toolName: "bash", toolOutput: "exit 1", isError: true }),
      { type: "subtask", agent: "general", prompt: "Find uses", description: "find uses" },
      {
        type: "file",
        filename: "a.png",
        mime: "image/png",
        size: png.length,
        sha256: createHash("sha256").update(png).digest("hex"),
      },
      { type: "patch", files: ["/w/app/a.ts"] },
    ]);
  });

  test("is printed as JSON.stringify prints it, so that every tool can rewrite it unchanged", async () => {
    await fullPass(archive, harness.session(), buildConversation("ses_1", 7));
    await archive.flush();
    const text = await harness.text("ses_1.json");
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  });

  test("keeps attachments whole when asked to", async () => {
    const inline = harness.open({ attachments: "inline" });
    const data = Buffer.from("some bytes").toString("base64");
    await fullPass(inline, harness.session(), [
      buildMessage({ id: "msg_1", parts: [filePart({ url: `data:text/plain;base64,${data}` })] }),
    ]);
    await inline.flush();
    expect((await harness.json("ses_1.json")).turns[0]?.parts[0]).toMatchObject({ size: 10, data });
  });

  test("shows a NUL as a sign and half an emoji as a replacement, and stays readable (case 10)", async () => {
    await fullPass(archive, harness.session({ title: "a\0b" }), [userMessage("msg_1", `x\0y \ud83d z \u007f`)]);
    await archive.flush();
    const file = await harness.json("ses_1.json");
    expect([file.title, file.turns[0]?.parts[0]?.["text"]]).toEqual(["a␀b", "x␀y \ufffd z \u007f"]);
  });

  test("masks secrets wherever they stand, and counts them", async () => {
    const token = `ghp_a1${"Zx9".repeat(12)}`.slice(0, 40);
    const session = harness.session({ title: `use ${token}` });
    archive.onEvent({ type: "session-created", sessionId: "ses_1", session });
    archive.onEvent({
      type: "permission-asked",
      sessionId: "ses_1",
      at: later(1),
      requestId: "per_1",
      permission: "bash",
      command: `curl -H ${token}`,
      question: null,
    });
    archive.onEvent({
      type: "todos-changed",
      sessionId: "ses_1",
      todos: [{ content: `revoke ${token}`, status: "pending", priority: null }],
    });
    await fullPass(archive, session, [
      assistantMessage(
        "msg_1",
        [
          textPart(`a ${token}`),
          toolPart(
            "bash",
            { command: `x ${token}`, env: { [token]: 1, PASSWORD: "tr0ub4dor-Zx9!kq" } },
            { output: token },
          ),
          toolPart("bash", {}, { status: "error", error: token }),
          subtaskPart(token),
          filePart({ filename: token, url: `https://me:hunter22@host/${token}` }),
        ],
        { error: { name: "E", message: token, statusCode: null, isRetryable: null } },
      ),
    ]);
    await archive.flush();
    const text = await harness.text("ses_1.json");
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/hunter22|tr0ub4dor/u);
    expect((await harness.json("ses_1.json")).redactions).toEqual({
      "github-token": 10,
      password: 1,
      "url-password": 1,
    });
    expect(await harness.text("index.json")).not.toContain(token);
  });

  test("names branch and commit of a worktree whose session just began", async () => {
    const commit = "0123456789abcdef0123456789abcdef01234567";
    await mkdir(join(harness.root, ".git", "refs", "heads"), { recursive: true });
    await writeFile(join(harness.root, ".git", "HEAD"), "ref: refs/heads/main\n");
    await writeFile(join(harness.root, ".git", "refs", "heads", "main"), `${commit}\n`);
    await fullPass(archive, harness.session({ createdAt: harness.clock.now() }), []);
    await fullPass(archive, harness.session({ id: "ses_old" }), []);
    await archive.flush();
    expect((await harness.json("ses_1.json")).git).toEqual({ branch: "main", commit });
    expect((await harness.json("ses_old.json")).git).toBeNull();
  });
});

describe("later versions", () => {
  test("are not written when nothing is new (case 47)", async () => {
    const session = harness.session();
    await fullPass(archive, session, buildConversation("ses_1", 200));
    await archive.flush();
    const before = await stat(harness.path("ses_1.json"));
    await fullPass(archive, session, buildConversation("ses_1", 200));
    await update(archive, session, []);
    await archive.flush();
    const restarted = harness.open();
    await fullPass(restarted, session, buildConversation("ses_1", 200));
    await restarted.flush();
    const { ino, mtimeMs } = await stat(harness.path("ses_1.json"));
    expect({ ino, mtimeMs }).toEqual({ ino: before.ino, mtimeMs: before.mtimeMs });
  });

  test("differ only in the lines of what changed", async () => {
    const messages = buildConversation("ses_1", 60);
    await fullPass(archive, harness.session(), messages);
    await archive.flush();
    const before = (await harness.text("ses_1.json")).split("\n");
    harness.clock.time += 5000;
    await update(archive, harness.session(), [
      userMessage(messages[20]?.id ?? "", "other words", { createdAt: messages[20]?.createdAt ?? 0 }),
    ]);
    await archive.flush();
    const after = (await harness.text("ses_1.json")).split("\n");
    const changed = after.filter((line, index) => line !== before[index]).map((line) => line.trim().split(":")[0]);
    expect(after.length).toBe(before.length);
    expect(changed).toEqual(['"stamp"', '"digest"', '"text"']);
  });

  test("show a new title in file and list (cases 18, 49)", async () => {
    await fullPass(archive, harness.session({ title: "New session" }), []);
    await archive.flush();
    archive.onEvent({
      type: "session-changed",
      sessionId: "ses_1",
      session: harness.session({ title: "Fix auth", updatedAt: later(9) }),
    });
    await archive.flush();
    expect((await harness.json("ses_1.json")).title).toBe("Fix auth");
    expect(await harness.list()).toEqual([
      {
        id: "ses_1",
        title: "Fix auth",
        startedAt: "2026-07-29T10:28:32.000Z",
        updatedAt: "2026-07-29T10:37:32.000Z",
        parentId: null,
      },
    ]);
  });

  test("keep a removed turn among the removed ones (case 48)", async () => {
    const messages = buildConversation("ses_1", 3);
    const ids = messages.map(({ id }) => id);
    await fullPass(archive, harness.session(), messages);
    await archive.flush();
    const refresh = await archive.open(harness.session());
    await refresh?.removeMessages(ids.slice(2));
    await refresh?.finish(null);
    await archive.flush();
    const file = await harness.json("ses_1.json");
    expect(file.turns.map((turn) => turn.messageId)).toEqual(ids.slice(0, 2));
    expect(file.removedTurns).toEqual([
      expect.objectContaining({ messageId: ids[2], removedAt: "2026-07-29T12:00:00.000Z" }),
    ]);
  });

  test("drop what a full pass did not list, but not what came after it began", async () => {
    const messages = buildConversation("ses_1", 4);
    await fullPass(archive, harness.session(), messages);
    const walk = await archive.open(harness.session());
    await update(archive, harness.session(), [userMessage("msg_new", "came meanwhile", { createdAt: later(5) })]);
    await walk?.finish(new Set(messages.slice(0, 2).map(({ id }) => id)));
    await archive.flush();
    const file = await harness.json("ses_1.json");
    expect(file.turns.map((turn) => turn.messageId)).toEqual([messages[0]?.id, messages[1]?.id, "msg_new"]);
    expect(file.removedTurns.length).toBe(2);
  });

  test("follow revert, unrevert, and the prompt after a revert (case 82)", async () => {
    const messages = buildConversation("ses_1", 4);
    const [first, second, third] = messages;
    const states = async () => {
      await archive.flush();
      return (await harness.json("ses_1.json")).turns.map((turn) => turn.revertedFromPart ?? turn.reverted === true);
    };
    await fullPass(archive, harness.session(), messages);
    expect(await states()).toEqual([false, false, false, false]);
    const revert = { messageId: third?.id ?? "", partId: null };
    await update(archive, harness.session({ revert }), []);
    expect(await states()).toEqual([false, false, true, true]);
    await update(archive, harness.session({ revert: { ...revert, partId: "prt_1" } }), []);
    expect(await states()).toEqual([false, false, "prt_1", true]);
    await update(archive, harness.session(), []);
    expect(await states()).toEqual([false, false, false, false]);
    await update(archive, harness.session({ revert }), []);
    const next = userMessage("msg_next", "another way", { createdAt: later(9) });
    await fullPass(
      archive,
      harness.session(),
      [first, second, next].filter((message) => message !== undefined),
    );
    expect(await states()).toEqual([false, false, false]);
    expect((await harness.json("ses_1.json")).removedTurns.length).toBe(2);
  });

  test("refuse what an older refresh brings", async () => {
    const older = await archive.open(harness.session({ title: "older" }));
    await update(archive, harness.session({ title: "newer" }), [userMessage("msg_1", "newer")]);
    await older?.put([{ message: userMessage("msg_1", "older"), digest: "d" }]);
    await older?.finish(null);
    await archive.flush();
    const file = await harness.json("ses_1.json");
    expect([file.title, file.turns[0]?.parts[0]?.["text"]]).toEqual(["newer", "newer"]);
  });

  test("are written anew, masked, when masking is turned on", async () => {
    const token = `glpat-${"a1B2".repeat(6)}`;
    const session = harness.session();
    const { openMasker } = await import("../../src/redact/mask.ts");
    const open = harness.open({ masker: openMasker });
    await fullPass(open, session, [userMessage("msg_1", token)]);
    await open.flush();
    expect(await harness.text("ses_1.json")).toContain(token);
    const masked = harness.open();
    expect(await masked.outdated([session])).toEqual(new Set(["ses_1"]));
    await fullPass(masked, session, [userMessage("msg_1", token)]);
    await masked.flush();
    expect(await harness.text("ses_1.json")).not.toContain(token);
    expect(await masked.outdated([session])).toEqual(new Set());
  });
});

const asked = (requestId: string) =>
  ({
    type: "permission-asked",
    sessionId: "ses_1",
    at: later(1),
    requestId,
    permission: "bash",
    command: "rm -rf x",
    question: null,
  }) as const;
const replied = (requestId: string, reply: "once" | "always" | "reject") =>
  ({ type: "permission-replied", sessionId: "ses_1", at: later(2), requestId, reply }) as const;

describe("events", () => {
  test("make a file when a session begins, and end in no file for a session elsewhere", async () => {
    archive.onEvent({ type: "session-created", sessionId: "ses_1", session: harness.session() });
    archive.onEvent({
      type: "session-created",
      sessionId: "ses_2",
      session: harness.session({ id: "ses_2", directory: "/somewhere/else" }),
    });
    await archive.flush();
    expect(await harness.names()).toEqual([".gitignore", ".ignore", "index.json", "ses_1.json"]);
  });

  test("pair permissions by request, with the answer that was given (case 50)", async () => {
    // The first ones come before anything is known of the session; hosts also repeat themselves.
    archive.onEvent(asked("per_1"));
    archive.onEvent(asked("per_1"));
    archive.onEvent({ type: "session-created", sessionId: "ses_1", session: harness.session() });
    for (const event of [asked("per_2"), asked("per_3"), replied("per_3", "reject"), replied("per_1", "once")]) {
      archive.onEvent(event);
    }
    archive.onEvent(replied("per_2", "always"));
    archive.onEvent(replied("per_9", "once"));
    await archive.flush();
    const { permissions } = await harness.json("ses_1.json");
    expect(
      permissions.map((entry) => [
        entry.type,
        entry.requestId,
        entry.permission,
        entry.type === "asked" ? null : [entry.reply, entry.allowed],
      ]),
    ).toEqual([
      ["asked", "per_1", "bash", null],
      ["asked", "per_2", "bash", null],
      ["asked", "per_3", "bash", null],
      ["replied", "per_3", "bash", ["reject", false]],
      ["replied", "per_1", "bash", ["once", true]],
      ["replied", "per_2", "bash", ["always", true]],
      ["replied", "per_9", null, ["once", true]],
    ]);
  });

  test("keep errors once, with the turn that failed, and retries that never became a message", async () => {
    const error = { name: "APIError", message: "not available", statusCode: 403, isRetryable: false };
    await fullPass(archive, harness.session(), []);
    archive.onEvent({ type: "session-retry", sessionId: "ses_1", at: later(0), attempt: 1, message: "overloaded" });
    archive.onEvent({ type: "session-error", sessionId: "ses_1", at: later(1), error });
    archive.onEvent({ type: "session-error", sessionId: "ses_1", at: later(1) + 20, error });
    await archive.flush();
    await update(archive, harness.session(), [assistantMessage("msg_1", [], { createdAt: later(1), error })]);
    archive.onEvent({ type: "session-error", sessionId: "ses_1", at: later(1) + 2000, error });
    await archive.flush();
    const { errors } = await harness.json("ses_1.json");
    expect(errors).toEqual([
      {
        timestamp: "2026-07-29T10:28:32.000Z",
        name: "Retry",
        message: "overloaded",
        statusCode: null,
        sessionID: "ses_1",
        messageId: null,
        attempt: 1,
      },
      expect.objectContaining({ name: "APIError", statusCode: 403, messageId: "msg_1" }),
    ]);
  });

  test("note compaction, and its summary is a turn marked so", async () => {
    await fullPass(archive, harness.session(), [
      buildMessage({ id: "msg_1", parts: [compactionPart({ auto: true })] }),
      assistantMessage("msg_2", ["In short"], { createdAt: later(1), completedAt: later(2), isSummary: true }),
    ]);
    await archive.flush();
    const file = await harness.json("ses_1.json");
    expect(file.compactedAt).toBe("2026-07-29T10:30:32.000Z");
    expect(file.turns.map((turn) => turn.summary)).toEqual([undefined, true]);
    archive.onEvent({ type: "session-compacted", sessionId: "ses_1", at: later(3) });
    await archive.flush();
    expect((await harness.json("ses_1.json")).compactedAt).toBe("2026-07-29T10:31:32.000Z");
  });

  test("keep the list of todos as it is now", async () => {
    await fullPass(archive, harness.session(), []);
    const todos = [{ content: "test it", status: "completed", priority: "high" }];
    archive.onEvent({
      type: "todos-changed",
      sessionId: "ses_1",
      todos: [{ content: "x", status: "pending", priority: null }],
    });
    archive.onEvent({ type: "todos-changed", sessionId: "ses_1", todos });
    await archive.flush();
    expect((await harness.json("ses_1.json")).todos).toEqual(todos);
  });
});

describe("a team that commits its sessions", () => {
  test("gets them when no turn of the worktree is under way", async () => {
    const clock = new FakeClock(later(0));
    const shown = harness.open({ gitignore: false, clock });
    const elsewhere = harness.session({ id: "ses_2", directory: "/somewhere/else" });
    shown.onEvent({ type: "session-created", sessionId: "ses_1", session: harness.session() });
    shown.onEvent({ type: "session-created", sessionId: "ses_2", session: elsewhere });
    shown.onEvent({ type: "session-busy", sessionId: "ses_1" });
    shown.onEvent({ type: "session-busy", sessionId: "ses_2" });
    await fullPass(shown, harness.session(), buildConversation("ses_1", 2));
    await clock.advance(60_000);
    expect(await shown.fileOf("ses_1")).toBeNull();
    shown.onEvent({ type: "session-idle", sessionId: "ses_1" });
    await expect
      .poll(async () => {
        await clock.advance(1000);
        return shown.fileOf("ses_1");
      })
      .toBe(harness.path("ses_1.json"));
  });

  test("does not wait for the turn of a session that was deleted, whenever its beginning is told", async () => {
    const clock = new FakeClock();
    const shown = harness.open({ gitignore: false, clock });
    shown.onEvent({ type: "session-busy", sessionId: "ses_2" });
    await shown.remove("ses_2", later(1));
    shown.onEvent({ type: "session-busy", sessionId: "ses_2" });
    await fullPass(shown, harness.session(), buildConversation("ses_1", 2));
    await expect
      .poll(async () => {
        await clock.advance(1000);
        return shown.fileOf("ses_1");
      })
      .toBe(harness.path("ses_1.json"));
  });
});

describe("parents and children", () => {
  test.each([["parent first"], ["child first"]])("know each other (%s)", async (order) => {
    const parent = harness.session();
    const child = harness.session({ id: "ses_2", parentId: "ses_1", createdAt: later(1) });
    const grandchild = harness.session({ id: "ses_3", parentId: "ses_2", createdAt: later(2) });
    const family = order === "parent first" ? [parent, child, grandchild] : [grandchild, child, parent];
    for (const session of family) {
      await fullPass(archive, session, []);
      await archive.flush();
    }
    expect((await harness.json("ses_1.json")).subSessions).toEqual(["ses_2"]);
    expect((await harness.json("ses_2.json")).subSessions).toEqual(["ses_3"]);
    expect((await harness.json("ses_3.json")).parentId).toBe("ses_2");
    expect((await harness.list()).map((entry) => [entry.id, entry.parentId])).toEqual([
      ["ses_1", null],
      ["ses_2", "ses_1"],
      ["ses_3", "ses_2"],
    ]);
  });

  test("the call that started a child names it", async () => {
    await fullPass(archive, harness.session(), [
      assistantMessage("msg_1", [toolPart("task", { prompt: "look" }, { metadata: { sessionId: "ses_2" } })]),
    ]);
    await archive.flush();
    expect((await harness.json("ses_1.json")).turns[0]?.parts[0]?.["subSessionId"]).toBe("ses_2");
  });
});

describe("a deleted session", () => {
  const at = later(30);

  test("keeps its file, marked in file and list, and does not come back (cases 53, 58)", async () => {
    const session = harness.session();
    await fullPass(archive, session, buildConversation("ses_1", 2));
    const underWay = await archive.open(session);
    await archive.remove("ses_1", at);
    await underWay?.put([{ message: userMessage("msg_late", "late"), digest: "d" }]);
    await underWay?.finish(new Set(["msg_late"]));
    await archive.flush();
    archive.onEvent({ type: "session-changed", sessionId: "ses_1", session });
    expect(await archive.open(session)).toBeNull();
    expect(await archive.outdated([session])).toEqual(new Set());

    const restarted = harness.open();
    expect(await restarted.outdated([session])).toEqual(new Set());
    expect(await restarted.open(session)).toBeNull();
    await restarted.flush();
    const file = await harness.json("ses_1.json");
    expect([file.deletedAt, file.turns.length]).toEqual([new Date(at).toISOString(), 2]);
    expect(await harness.list()).toEqual([
      expect.objectContaining({ id: "ses_1", deletedAt: new Date(at).toISOString() }),
    ]);
  });

  test("that was deleted before its first write leaves a marked file (case 59)", async () => {
    archive.onEvent({ type: "session-created", sessionId: "ses_1", session: harness.session() });
    await archive.remove("ses_1", at);
    await archive.flush();
    const file = await harness.json("ses_1.json");
    expect([file.deletedAt, file.turns]).toEqual([new Date(at).toISOString(), []]);
  });

  test("of which nothing was known is refused when a late reading brings it", async () => {
    await archive.remove("ses_1", at);
    expect(await fullPass(archive, harness.session(), [])).toBe(false);
    expect(await archive.outdated([harness.session()])).toEqual(new Set());
    await archive.flush();
    expect(await archive.fileOf("ses_1")).toBeNull();
  });
});

describe("what is outdated", () => {
  test("is a session that is missing, changed, or was never compared whole", async () => {
    const same = harness.session();
    const changed = harness.session({ id: "ses_2" });
    const partial = harness.session({ id: "ses_3" });
    const missing = harness.session({ id: "ses_4" });
    const elsewhere = harness.session({ id: "ses_5", directory: "/w/other" });
    await fullPass(archive, same, []);
    await fullPass(archive, changed, []);
    await update(archive, partial, []);
    await archive.flush();
    const listed = [same, { ...changed, updatedAt: later(60) }, partial, missing, elsewhere];
    for (const each of [archive, harness.open()]) {
      expect(await each.outdated(listed)).toEqual(new Set(["ses_2", "ses_3", "ses_4"]));
    }
  });

  test("is a session whose turn was under way when it was last written", async () => {
    const session = harness.session();
    archive.onEvent({ type: "session-busy", sessionId: "ses_1" });
    await fullPass(archive, session, buildConversation("ses_1", 2));
    await archive.flush();
    expect(await harness.open().outdated([session])).toEqual(new Set(["ses_1"]));
    archive.onEvent({ type: "session-idle", sessionId: "ses_1" });
    await archive.flush();
    expect(await harness.open().outdated([session])).toEqual(new Set());
  });
});

test("a session's file can be asked for", async () => {
  await fullPass(archive, harness.session(), []);
  await archive.flush();
  expect(await archive.fileOf("ses_1")).toBe(harness.path("ses_1.json"));
  expect(await archive.fileOf("ses_2")).toBeNull();
});

test("an archive that was disposed of has written everything", async () => {
  await fullPass(archive, harness.session(), buildConversation("ses_1", 3));
  await archive.dispose();
  await archive.dispose();
  expect((await harness.json("ses_1.json")).turns.length).toBe(3);
  expect((await harness.list()).length).toBe(1);
});
