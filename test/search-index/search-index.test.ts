import { readFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { SearchIndex } from "../../src/search-index/search-index.ts";
import type { Message } from "../../src/session/session.ts";
import { sql } from "../../src/sqlite/sql.ts";
import type { SessionSink, SinkRefresh } from "../../src/sync/sink.ts";

import {
  assistantMessage,
  BUILT_AT,
  buildConversation,
  buildMessage,
  buildSession,
  patchPart,
  textPart,
  toolPart,
  userMessage,
} from "../support/builders.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { assertAgreement } from "./agreement.ts";
import {
  openTestIndex,
  removeFolder,
  rows,
  sessionsWith,
  store,
  temporaryFolder,
  textsOf,
  withDigests,
} from "./opened-index.ts";

const DAY = 24 * 60 * 60 * 1000;

let directory = "";
let clock: FakeClock;
let index: SearchIndex;
beforeEach(async () => {
  directory = temporaryFolder();
  clock = new FakeClock(BUILT_AT + DAY);
  index = await openTestIndex(directory, { clock });
});
afterEach(async () => {
  assertAgreement(index.readConnection());
  await index.close();
  removeFolder(directory);
});

async function opened(given: Parameters<typeof buildSession>[0] = {}, at: SearchIndex = index): Promise<SinkRefresh> {
  const refresh = await at.open(buildSession(given));
  if (refresh === null) throw new Error("The index refused the session.");
  return refresh;
}

describe("search index as a sink", () => {
  it("keeps the messages and the title of a session, each findable by its trigrams", async () => {
    const sink: SessionSink = index;
    expect(sink.name).toBe("index");
    const session = buildSession({ title: "Fix login" });
    expect(sink.wants(session)).toBe(true);
    await store(index, session, [userMessage("msg_1", "Needle one"), userMessage("msg_2", "needle two")]);
    expect(textsOf(index, "ses_1")).toEqual({ title: "Fix login", msg_1: "Needle one", msg_2: "needle two" });
    expect(sessionsWith(index, "needle")).toEqual(["ses_1"]);
    expect(sessionsWith(index, "FIX LOG")).toEqual(["ses_1"]);
    expect(sessionsWith(index, "haystack")).toEqual([]);
  });

  it("knows by the fingerprint which sessions changed, whole ones only", async () => {
    const [kept, renamed, halfway, unknown] = ["ses_1", "ses_2", "ses_3", "ses_4"].map((id) => buildSession({ id }));
    if (kept === undefined || renamed === undefined || halfway === undefined || unknown === undefined) return;
    for (const session of [kept, renamed]) await store(index, session, buildConversation(session.id, 2));
    await (await opened({ id: halfway.id })).finish(null);
    const listing = [kept, { ...renamed, title: "Renamed" }, halfway, unknown];
    expect(await index.outdated(listing)).toEqual(new Set(["ses_2", "ses_3", "ses_4"]));
    expect(await index.outdated([])).toEqual(new Set());
  });

  it("answers which digests it holds, and how many messages", async () => {
    await store(index, buildSession(), [userMessage("msg_1", "one"), userMessage("msg_2", "two")]);
    const refresh = await opened();
    expect(refresh).toMatchObject({ complete: true, storedMessages: 2 });
    const [first] = withDigests([userMessage("msg_1", "one")]);
    const digests = await refresh.digests(["msg_1", "msg_9", ""]);
    expect(Object.fromEntries(digests)).toMatchObject({ msg_1: first?.digest });
    expect(digests.has("msg_9")).toBe(false);
  });

  it("rewrites only what changed: messages, a shorter message's surplus, the title", async () => {
    const long = `${"word ".repeat(6000)}tail`;
    await store(index, buildSession({ title: "Old title" }), [
      userMessage("msg_1", long),
      userMessage("msg_2", "same"),
    ]);
    expect(Object.keys(textsOf(index, "ses_1"))).toEqual(["title", "msg_1", "msg_1#1", "msg_2"]);
    const idOf = () => rows(index, sql`SELECT id FROM documents WHERE message_id = 'msg_1' AND chunk = 0`)[0]?.["id"];
    const before = idOf();
    const refresh = await opened({ title: "New title" });
    await refresh.put(withDigests([userMessage("msg_1", "short now")]));
    await refresh.finish(null);
    expect(textsOf(index, "ses_1")).toEqual({ title: "New title", msg_1: "short now", msg_2: "same" });
    expect(idOf()).toBe(before);
    expect([sessionsWith(index, "tail"), sessionsWith(index, "Old title"), sessionsWith(index, "new title")]).toEqual([
      [],
      [],
      ["ses_1"],
    ]);
  });

  it("keeps what search filters by: roles, errors, prompts, edited files, tools", async () => {
    const edit = toolPart("edit", { filePath: "src/Auth.ts" });
    await store(index, buildSession(), [
      userMessage("msg_1", "please edit"),
      assistantMessage("msg_2", [edit, toolPart("history-read", { sessionId: "x" }), patchPart(["/w/app/b.ts"])], {
        parentId: "msg_1",
        error: { name: "APIError", message: "boom", statusCode: 500, isRetryable: false },
      }),
      buildMessage({ id: "msg_3", role: null, nativeType: "shell" }),
    ]);
    expect(
      rows(
        index,
        sql`SELECT message_id, role, parent_id, prompt, has_error FROM documents WHERE role > 0 ORDER BY message_id`,
      ).map((row) => Object.values(row)),
    ).toEqual([
      ["msg_1", 1, null, "please edit", 0],
      ["msg_2", 2, "msg_1", null, 1],
      ["msg_3", 3, null, null, 0],
    ]);
    expect(
      rows(index, sql`SELECT path, name, tool FROM document_paths ORDER BY path`).map((row) => Object.values(row)),
    ).toEqual([
      ["/w/app/b.ts", "b.ts", "snapshot"],
      ["/w/app/src/Auth.ts", "auth.ts", "edit"],
    ]);
    expect(rows(index, sql`SELECT tool FROM document_tools`).map((row) => row["tool"])).toEqual(["edit"]);
  });

  it.each([
    ["a message's beginning", "fix the login", "fix the login"],
    ["as one that was cut", `🤖${"word ".repeat(100)}`, `🤖${"word ".repeat(100).slice(0, 297)}…`],
    ["without what surrounds it", "\n  indented\n", "indented"],
    ["with an ellipsis of its own", "wait…", "wait…"],
    ["that is an ellipsis", "…", "…"],
    ["that is a number", "42", "42"],
  ])("gives back a prompt %s", async (_what, text, prompt) => {
    await store(index, buildSession(), [userMessage("msg_1", text)]);
    expect(rows(index, sql`SELECT prompt FROM documents WHERE message_id = 'msg_1'`)).toEqual([{ prompt }]);
  });

  it("gives back a prompt that follows words of the host, and its change", async () => {
    const synthetic = textPart("Called the read tool", { synthetic: true });
    const prompts = () => rows(index, sql`SELECT prompt FROM documents WHERE message_id = 'msg_1'`);
    await store(index, buildSession(), [buildMessage({ id: "msg_1", parts: [synthetic, textPart("42")] })]);
    expect(prompts()).toEqual([{ prompt: "42" }]);
    await store(index, buildSession(), [userMessage("msg_1", "now otherwise")]);
    expect(prompts()).toEqual([{ prompt: "now otherwise" }]);
  });

  it("replaces the paths and tools of a message that changed", async () => {
    await store(index, buildSession(), [assistantMessage("msg_1", [toolPart("write", { filePath: "/w/a.ts" })])]);
    await store(index, buildSession(), [assistantMessage("msg_1", [toolPart("edit", { filePath: "/w/b.ts" })])]);
    expect(rows(index, sql`SELECT path, tool FROM document_paths`).map((row) => Object.values(row))).toEqual([
      ["/w/b.ts", "edit"],
    ]);
    expect(rows(index, sql`SELECT tool FROM document_tools`)).toHaveLength(1);
  });

  it("stores text that SQLite or the postings could stumble on", async () => {
    const texts = [
      "a\0b ghijkl",
      "lone \ud800 surrogate",
      "🤖🤖",
      "今天讨论了部署方案",
      "",
      "x",
      "\"quotes\" 'n' (NEAR*",
    ];
    await store(
      index,
      buildSession({ title: "nul \0 and \udfff" }),
      texts.map((text, n) => userMessage(`msg_${n}`, text)),
    );
    expect(textsOf(index, "ses_1")).toMatchObject({ title: "nul ␀ and �", msg_0: "a␀b ghijkl", msg_4: "" });
    expect(sessionsWith(index, "ghijkl")).toEqual(["ses_1"]);
  });

  it("notes a session's error and keeps it through refreshes", async () => {
    await store(index, buildSession(), []);
    await index.noteSessionError("ses_1");
    await index.noteSessionError("ses_unknown");
    await store(index, buildSession({ title: "again" }), []);
    expect(rows(index, sql`SELECT has_error FROM sessions`)[0]?.["has_error"]).toBe(1);
  });

  it("drops what a full pass no longer lists, and single messages when told to", async () => {
    await store(index, buildSession(), buildConversation("ses_1", 5, { prefix: "m" }));
    const refresh = await opened();
    await refresh.removeMessages(["m_0001", "m_unknown"]);
    await refresh.put(withDigests([userMessage("m_new", "new")]));
    await refresh.finish(new Set(["m_0002", "m_0003", "m_new"]));
    expect(Object.keys(textsOf(index, "ses_1"))).toEqual(["title", "m_0002", "m_0003", "m_new"]);
    expect((await opened()).storedMessages).toBe(3);
  });
});

describe("races", () => {
  it("refuses an older refresh's messages, session row and removals", async () => {
    const older = await opened({ title: "older" });
    const newer = await opened({ title: "newer" });
    expect(newer.stamp).toBeGreaterThan(older.stamp);
    const long = "older ".repeat(6000);
    await newer.put(withDigests([userMessage("msg_1", "newer text")]));
    await newer.finish(new Set(["msg_1"]));
    await older.put(withDigests([userMessage("msg_1", long), userMessage("msg_2", "only older knows")]));
    await older.removeMessages(["msg_1"]);
    await older.finish(new Set());
    expect(textsOf(index, "ses_1")).toEqual({ title: "newer", msg_1: "newer text", msg_2: "only older knows" });
  });

  it("gives rising stamps when the clock jumps back", async () => {
    await store(index, buildSession(), [userMessage("msg_1", "before")]);
    clock.jump(-10 * DAY);
    await store(index, buildSession({ title: "after" }), [userMessage("msg_1", "after the jump")]);
    expect(textsOf(index, "ses_1")).toEqual({ title: "after", msg_1: "after the jump" });
  });

  it("does not bring back a session deleted while it was fetched, or before it was ever stored (case 59)", async () => {
    const refresh = await opened();
    await refresh.put(withDigests([userMessage("msg_1", "secret plan")]));
    await index.remove("ses_1", clock.now());
    await refresh.put(withDigests([userMessage("msg_2", "secret plan")]));
    await refresh.finish(new Set(["msg_1", "msg_2"]));
    await index.remove("ses_2", clock.now());
    expect(textsOf(index, "ses_1")).toEqual({});
    expect(await index.open(buildSession({ id: "ses_2" }))).toBeNull();
    expect(await index.outdated([buildSession(), buildSession({ id: "ses_2" })])).toEqual(new Set());
    expect(rows(index, sql`SELECT id FROM sessions WHERE removed_at IS NULL`)).toEqual([]);
  });

  it("forgets a deletion after a day", async () => {
    await index.remove("ses_1", clock.now());
    await clock.advance(DAY - 1);
    expect(await index.outdated([buildSession()])).toEqual(new Set());
    await clock.advance(2);
    expect(await index.outdated([buildSession()])).toEqual(new Set(["ses_1"]));
    expect(await index.open(buildSession())).not.toBeNull();
  });

  it("finishes a removal that a crash interrupted", async () => {
    await store(index, buildSession(), buildConversation("ses_1", 30));
    const buried = index.remove("ses_1", clock.now());
    await index.close();
    await expect(buried).rejects.toThrow("closed");
    index = await openTestIndex(directory, { clock });
    await index.outdated([]);
    expect(textsOf(index, "ses_1")).toEqual({});
  });

  it("lets two processes' indexes write one session, the later fetch winning whatever the order of writes", async () => {
    const other = await openTestIndex(directory, { clock });
    const mine = await opened({ title: "mine" });
    const theirs = await opened({ title: "theirs" }, other);
    await Promise.all([
      theirs.put(withDigests(buildConversation("ses_1", 40, { text: (n) => `theirs ${n}` }))),
      mine.put(withDigests(buildConversation("ses_1", 40, { text: (n) => `mine ${n}` }))),
    ]);
    await Promise.all([theirs.finish(null), mine.finish(null)]);
    await other.close();
    const texts = Object.values(textsOf(index, "ses_1"));
    expect(texts).toHaveLength(41);
    expect(texts.filter((text) => text.startsWith("mine"))).toEqual([]);
  });

  it("leaves no readable trace of removed text in the file", async () => {
    await store(index, buildSession(), [userMessage("msg_1", "password hunter2 ".repeat(3000))]);
    await store(index, buildSession({ id: "ses_2" }), [userMessage("msg_2", "kept")]);
    await index.remove("ses_1", clock.now());
    const path = index.path ?? "";
    const traces = [path, `${path}-wal`].filter((file) => readFileSync(file).includes("hunter2"));
    expect(traces).toEqual([]);
  });
});

function segments(): unknown {
  return rows(index, sql`SELECT count(DISTINCT segid) AS count FROM postings_idx`)[0]?.["count"];
}

function longMessages(): Message[] {
  return Array.from({ length: 40 }, (_, n) => userMessage(`msg_${100 + n}`, `say ${100 + n} `.repeat(6000)));
}

describe("consolidation", () => {
  it("makes all segments one after much was written, and not again for little", async () => {
    await store(index, buildSession(), longMessages());
    expect(segments()).toBeGreaterThan(1);
    await index.consolidate();
    expect(segments()).toBe(1);
    expect(sessionsWith(index, "say 139")).toEqual(["ses_1"]);
    await store(index, buildSession({ id: "ses_2" }), buildConversation("ses_2", 3));
    await index.consolidate();
    expect(segments()).toBeGreaterThan(1);
  });

  it("begins by itself when every known session is in, and ends with the index", async () => {
    index.setKnownSessions(1);
    await index.outdated([buildSession()]);
    await store(index, buildSession(), longMessages());
    await index.close();
    index = await openTestIndex(directory, { clock });
    expect(sessionsWith(index, "say 100")).toEqual(["ses_1"]);
  });
});

describe("coverage", () => {
  it("counts complete sessions against the last listing", async () => {
    expect(index.coverage()).toEqual({
      indexedSessions: 0,
      knownSessions: null,
      complete: false,
      rebuilding: false,
      troubles: [],
    });
    const sessions = ["ses_1", "ses_2"].map((id) => buildSession({ id }));
    index.setKnownSessions(2);
    await index.outdated(sessions);
    expect(index.coverage()).toMatchObject({ indexedSessions: 0, knownSessions: 2, complete: false });
    for (const session of sessions) {
      expect(index.coverage().complete).toBe(false);
      await store(index, session, []);
    }
    expect(index.coverage()).toMatchObject({ indexedSessions: 2, knownSessions: 2, complete: true });
  });
});
