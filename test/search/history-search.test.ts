import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { parseQuery } from "../../src/query/parser.ts";
import type { SearchRequest } from "../../src/search/request.ts";
import type { Message } from "../../src/session/session.ts";
import {
  assistantMessage,
  BUILT_AT,
  buildSession,
  patchPart,
  reasoningPart,
  textPart,
  toolPart,
  userMessage,
} from "../support/builders.ts";
import type { ReferenceSession } from "../support/reference-search.ts";
import { HistoryIndex } from "./history-index.ts";

const HOUR_MS = 3_600_000;
const at = (hour: number): number => BUILT_AT + hour * HOUR_MS;

/** Links of the tests' file system, each with what it points to. */
const LINKS: readonly (readonly [link: string, target: string])[] = [["/link", "/w/app"]];

function realPath(path: string): Promise<string> {
  const link = LINKS.find(([name]) => path === name || path.startsWith(`${name}/`));
  return Promise.resolve(link === undefined ? path : link[1] + path.slice(link[0].length));
}

let index: HistoryIndex;
beforeAll(async () => {
  index = await HistoryIndex.open({ homeDirectory: "/home/u", realPath });
});
afterAll(() => index.close());

function ask(text: string, given: Partial<SearchRequest> = {}): SearchRequest {
  return {
    query: parseQuery(text),
    role: null,
    date: null,
    limit: 50,
    asker: { sessionId: null, projectId: "project-1", directory: "/w/app", turnStartedAt: null },
    signal: new AbortController().signal,
    ...given,
  };
}

async function sessionsFor(text: string, given: Partial<SearchRequest> = {}): Promise<readonly string[]> {
  const { hits } = await index.search.searchSessions(ask(text, given));
  return hits.map(({ sessionId }) => sessionId);
}

/** Sessions named by what they say, the newest first. */
function saying(...texts: readonly string[]): readonly ReferenceSession[] {
  return texts.map((text, place) => ({
    session: buildSession({ id: text, title: "", updatedAt: at(-place) }),
    messages: [userMessage("msg_1", text, { createdAt: at(-place) })],
  }));
}

/** A request made from a session, in a turn that began then. */
function askedBy(sessionId: string, turnStartedAt: number | null): Partial<SearchRequest> {
  return { asker: { sessionId, projectId: "project-1", directory: "/w/app", turnStartedAt } };
}

function ran(id: string, projectId: string, directory: string, hour: number): ReferenceSession {
  return { session: buildSession({ id, projectId, directory, title: "note", updatedAt: at(hour) }), messages: [] };
}

function edit(id: string, hour: number, filePath: string, parentId: string | null = null): Message {
  const call = toolPart("edit", { filePath, newString: "x" }, { endedAt: at(hour) });
  return assistantMessage(id, [call], { createdAt: at(hour), parentId });
}

describe("words", () => {
  test.each([
    [
      "case 1: a short term beside a longer one counts",
      ["quick brown fox", "quick ok fox"],
      "quick ok",
      ["quick ok fox"],
    ],
    ["case 2: two CJK characters are found", ["今天讨论了部署方案", "nothing"], "部署", ["今天讨论了部署方案"]],
    ["case 2: two Latin letters are found", ["let it go", "stay"], "go", ["let it go"]],
    ["case 2: two emoji are found", ["🤖🤖", "🤖"], "🤖🤖", ["🤖🤖"]],
    ["case 5: a short exclusion counts", ["fix v2", "fix v1"], "fix -v2", ["fix v1"]],
    ["case 6: an apostrophe is text", ["I don't", "I do"], "don't", ["I don't"]],
    ["case 6: FTS syntax is text", ["a AND b NEAR(c)", "a b"], "NEAR(", ["a AND b NEAR(c)"]],
    ["case 6: a colon is text", ["grammar::fa", "grammar"], "grammar::fa", ["grammar::fa"]],
    ["case 12: Cyrillic in another case is found", ["ПРИВЕТ мир", "пока"], "привет", ["ПРИВЕТ мир"]],
    ["case 14: an accent may be left out", ["caf\u00e9", "cafe\u0301"], "cafe", ["caf\u00e9", "cafe\u0301"]],
    ["a percent sign is no wildcard", ["100%", "100"], "100%", ["100%"]],
    ["a phrase may be as short as one character", ["a-b", "ab"], '"-"', ["a-b"]],
  ])("%s", async (_name, texts, query, expected) => {
    await index.hold(saying(...texts));
    expect(await sessionsFor(query)).toEqual(expected);
  });

  test("case 10: what stands after a NUL is found", async () => {
    const session = buildSession({ title: "" });
    await index.hold([{ session, messages: [userMessage("msg_1", "abc\0def ghijkl")] }]);
    expect(await sessionsFor("ghijkl")).toEqual(["ses_1"]);
  });

  test("case 18: a title is found, and shown without a message", async () => {
    await index.hold([
      { session: buildSession({ title: "fingerprint-login" }), messages: [userMessage("m", "hello")] },
    ]);
    const { hits } = await index.search.searchMessages(ask("fingerprint"));
    expect(hits[0]?.matches).toMatchObject([
      { term: "fingerprint", messageId: null, role: null, excerpt: { text: "fingerprint-login", matchEnd: 11 } },
    ]);
  });

  test("each word is shown where it was first said, also under OR", async () => {
    await index.hold([
      {
        session: buildSession({ title: "" }),
        messages: [
          userMessage("msg_3", "alpha", { createdAt: at(0) }),
          assistantMessage("msg_2", [reasoningPart("beta and alpha")], { createdAt: at(1) }),
          userMessage("msg_1", "beta", { createdAt: at(2) }),
        ],
      },
    ]);
    const { hits } = await index.search.searchMessages(ask("beta alpha OR gamma"));
    expect(hits[0]?.matches.map(({ term, messageId, role }) => [term, messageId, role])).toEqual([
      ["beta", "msg_2", "assistant"],
      ["alpha", "msg_3", "user"],
    ]);
  });

  test("a phrase does not reach from one part into the next", async () => {
    const parts = [textPart("one"), textPart("two")];
    await index.hold([{ session: buildSession({ title: "" }), messages: [assistantMessage("m", parts)] }]);
    expect(await sessionsFor('"one two"')).toEqual([]);
    expect(await sessionsFor("one two")).toEqual(["ses_1"]);
  });

  test("words far into a long message are found, also where it was cut into pieces", async () => {
    const text = `${"x ".repeat(8180)}needle in the middle ${"y ".repeat(9000)}`;
    await index.hold([{ session: buildSession({ title: "" }), messages: [userMessage("m", text)] }]);
    expect(await sessionsFor('"needle in the middle"')).toEqual(["ses_1"]);
  });

  test("more than fits the limit is said to be there", async () => {
    await index.hold(saying("go 1", "go 2", "go 3"));
    const { hits, more } = await index.search.searchMessages(ask("go", { limit: 2 }));
    expect(hits.map(({ sessionId }) => sessionId)).toEqual(["go 1", "go 2"]);
    expect(more).toBe(true);
  });
});

describe("the asking turn", () => {
  const history: readonly ReferenceSession[] = [
    {
      session: buildSession({ id: "asking", title: "Chat" }),
      messages: [
        userMessage("msg_1", "alpha before", { createdAt: at(0) }),
        userMessage("msg_2", "find alpha beta", { createdAt: at(2) }),
        assistantMessage("msg_3", ["searching gamma"], { createdAt: at(2.1) }),
      ],
    },
    {
      session: buildSession({ id: "child", parentId: "asking", title: "Look for alpha beta" }),
      messages: [userMessage("msg_4", "look for alpha beta delta", { createdAt: at(2.2) })],
    },
  ];

  test.each([
    ["case 20: the question itself is no hit", "beta", askedBy("asking", at(2)), ["child"]],
    ["what was said before it is", "alpha before", askedBy("asking", at(2)), ["asking"]],
    ["its start is looked up when the host does not tell", "gamma", askedBy("asking", null), []],
    ["it does not count for exclusions either", "before -gamma", askedBy("asking", at(2)), ["asking"]],
    ["a sub-agent finds neither its own question nor that of its parent", "beta", askedBy("child", at(2.2)), []],
    ["a sub-agent finds what its parent said earlier", "alpha", askedBy("child", null), ["asking"]],
    ["a session with nothing but the question is no hit by its title", "look", askedBy("child", at(2.2)), []],
  ])("%s", async (_name, query, given, expected) => {
    await index.hold(history);
    expect(await sessionsFor(query, given)).toEqual(expected);
  });

  test("calls and results of these tools are never found", async () => {
    const call = toolPart("history-search-messages", { query: "omega" }, { output: "omega was not found" });
    await index.hold([{ session: buildSession({ title: "" }), messages: [assistantMessage("m", [call, "sigma"])] }]);
    expect(await sessionsFor("omega")).toEqual([]);
    expect(await sessionsFor("tool:history-search-messages")).toEqual([]);
    expect(await sessionsFor("sigma")).toEqual(["ses_1"]);
  });
});

describe("projects", () => {
  const history = [
    ran("here", "project-1", "/w/app", 9),
    ran("worktree", "project-1", "/w/app-tree", 8),
    ran("other", "project-2", "/w/other/sub", 7),
    ran("windows", "project-3", "E:\\work\\app", 6),
    ran("before-git", "global", "/w/app", 5),
    ran("no-git", "global", "/tmp/notes", 4),
    ran("below", "global", "/tmp/notes/deep", 3),
    ran("linked", "project-4", "/link/inner", 2),
  ];

  test.each([
    [
      "the current project with its worktrees, and what ran here before it had git (case 79)",
      "note",
      ["here", "worktree", "before-git"],
    ],
    ["all", "note project:all", history.map(({ session }) => session.id)],
    ["an id", "note project:project-2", ["other"]],
    ["a directory: its project with all worktrees", "note project:/w/app-tree", ["here", "worktree"]],
    ["a directory above", "note project:/w/other", ["other"]],
    ["a name that is only the beginning of one", "note project:/w/oth", []],
    ["case 77: the other slashes and another case of the drive", "note project:e:/work/app", ["windows"]],
    ["a directory without git: itself and below", "note project:/tmp/notes", ["no-git", "below"]],
    ["case 78: a link to the directory", "note project:/link", ["here", "worktree", "before-git", "linked"]],
    ["case 78: the real directory of sessions stored under a link", "note project:/w/app/inner", ["linked"]],
  ])("%s", async (_name, query, expected) => {
    await index.hold(history);
    expect(await sessionsFor(query)).toEqual(expected);
  });

  test("where there is no git, the current directory and below", async () => {
    await index.hold(history);
    const asker = { sessionId: null, projectId: "global", directory: "/tmp/notes", turnStartedAt: null };
    expect(await sessionsFor("note", { asker })).toEqual(["no-git", "below"]);
  });

  test("a directory that nothing ran in is said to be unknown", async () => {
    await index.hold(history);
    const { notes } = await index.search.searchSessions(ask("note project:/nowhere"));
    expect(notes).toEqual(["No indexed session ran in /nowhere or below. Use project:all to search all."]);
  });

  test("are counted, the largest first", async () => {
    await index.hold(history);
    const { hits } = await index.search.searchProjects(ask("note project:all"));
    expect(hits.slice(0, 2)).toEqual([
      { projectId: "global", directories: ["/tmp/notes", "/tmp/notes/deep", "/w/app"], sessions: 3, updatedAt: at(5) },
      { projectId: "project-1", directories: ["/w/app", "/w/app-tree"], sessions: 2, updatedAt: at(9) },
    ]);
  });
});

describe("sub-agents, reverts and errors", () => {
  test("case 80: a hit names the root of its chain", async () => {
    await index.hold([
      { session: buildSession({ id: "root" }), messages: [] },
      { session: buildSession({ id: "middle", parentId: "root", updatedAt: at(2) }), messages: [] },
      { session: buildSession({ id: "leaf", parentId: "middle", updatedAt: at(3) }), messages: [] },
      { session: buildSession({ id: "orphan", parentId: "gone", updatedAt: at(4) }), messages: [] },
    ]);
    const { hits } = await index.search.searchSessions(ask("is:subagent"));
    expect(hits.map(({ sessionId, rootId }) => [sessionId, rootId])).toEqual([
      ["orphan", "gone"],
      ["leaf", "root"],
      ["middle", "root"],
    ]);
  });

  test("case 82: what a revert hides is found, and marked", async () => {
    const session = buildSession({ title: "", revert: { messageId: "msg_2", partId: null } });
    const messages = [
      userMessage("msg_1", "kept", { createdAt: at(0) }),
      userMessage("msg_2", "hidden", { createdAt: at(1) }),
      assistantMessage("msg_0", ["later"], { createdAt: at(2) }),
    ];
    await index.hold([{ session, messages }]);
    const { hits } = await index.search.searchMessages(ask("kept hidden later"));
    expect(hits[0]?.reverted).toBe(true);
    expect(hits[0]?.matches.map(({ term, reverted }) => [term, reverted])).toEqual([
      ["kept", false],
      ["hidden", true],
      ["later", true],
    ]);
    expect(await sessionsFor("is:reverted")).toEqual(["ses_1"]);
  });

  test("an error of a session that became no message is known", async () => {
    await index.hold(saying("failed", "fine"));
    await index.index.noteSessionError("failed");
    expect(await sessionsFor("is:error")).toEqual(["failed"]);
  });
});

describe("edits", () => {
  test("tell what was asked for, by link or by time, never by id (case 32)", async () => {
    const messages = [
      userMessage("msg_9", "first wish", { createdAt: at(0) }),
      edit("msg_1", 1, "src/a.ts"),
      userMessage("msg_8", "", {
        createdAt: at(2),
        parts: [textPart("Continue if you have next steps", { synthetic: true })],
      }),
      edit("msg_2", 3, "src/b.ts", "msg_8"),
      userMessage("msg_7", "second wish", { createdAt: at(4) }),
      edit("msg_3", 5, "src/a.ts", "msg_9"),
    ];
    await index.hold([{ session: buildSession(), messages }]);
    const { hits } = await index.search.searchEdits(ask(""));
    expect(hits.map(({ path, prompt, firstEdit }) => [path, prompt?.text, prompt?.messageId, firstEdit])).toEqual([
      ["/w/app/src/a.ts", "first wish", "msg_9", false],
      ["/w/app/src/b.ts", "first wish", "msg_9", true],
      ["/w/app/src/a.ts", "first wish", "msg_9", true],
    ]);
  });

  test("a long request is cut, and says so", async () => {
    const messages = [userMessage("msg_1", "please ".repeat(100), { createdAt: at(0) }), edit("msg_2", 1, "a.ts")];
    await index.hold([{ session: buildSession(), messages }]);
    const { hits } = await index.search.searchEdits(ask("path:a.ts"));
    expect(hits[0]?.prompt?.cut).toBe(true);
    expect(hits[0]?.prompt?.text.endsWith("…")).toBe(false);
  });

  test.each([
    ["relative, from the right", "path:src/a.ts", ["/w/app/src/a.ts", "/w/app/packages/x/src/a.ts"]],
    ["absolute", "path:/w/app/src/a.ts", ["/w/app/src/a.ts"]],
    ["case 78: through a link", "path:/link/src/a.ts", ["/w/app/src/a.ts"]],
    ["case 77: a Windows path with slashes", "path:e:/w/a.ts", ["E:/w/a.ts"]],
    ["either of two", "path:/w/app/src/a.ts OR path:b.ts", ["/w/app/b.ts", "/w/app/src/a.ts"]],
    [
      "words alone: every file of the sessions that have them",
      "wish",
      ["/w/app/b.ts", "E:/w/a.ts", "/w/app/src/a.ts", "/w/app/packages/x/src/a.ts"],
    ],
    ["an exclusion drops the whole session", "wish -path:b.ts", []],
    ["nothing of the kind", "path:c.ts", []],
  ])("of a file: %s", async (_name, query, expected) => {
    const messages = [
      userMessage("msg_1", "a wish", { createdAt: at(0) }),
      edit("msg_2", 1, "packages/x/src/a.ts"),
      edit("msg_3", 2, "./src/a.ts"),
      edit("msg_4", 3, "E:\\w\\a.ts"),
      assistantMessage("msg_5", [patchPart(["/w/app/b.ts"])], { createdAt: at(4), completedAt: at(4) }),
    ];
    await index.hold([{ session: buildSession(), messages }]);
    const { hits } = await index.search.searchEdits(ask(query));
    expect(hits.map(({ path }) => path)).toEqual(expected);
  });

  test("a fork's copies are not counted again", async () => {
    const messages = [userMessage("msg_1", "wish", { createdAt: at(0) }), edit("msg_2", 1, "a.ts")];
    const copies = messages.map((message) => ({ ...message, id: `copy_${message.id}`, sessionId: "fork" }));
    const own = edit("msg_9", 3, "a.ts");
    await index.hold([
      { session: buildSession({ createdAt: at(0) }), messages },
      { session: buildSession({ id: "fork", createdAt: at(2) }), messages: [...copies, own] },
    ]);
    const { hits } = await index.search.searchEdits(ask("path:a.ts"));
    expect(hits.map(({ sessionId, messageId, firstEdit }) => [sessionId, messageId, firstEdit])).toEqual([
      ["fork", "msg_9", false],
      ["ses_1", "msg_2", true],
    ]);
  });

  test("a date limits the edits and decides neither the words nor the first edit", async () => {
    const messages = [
      userMessage("msg_1", "wish", { createdAt: at(0) }),
      edit("msg_2", 1, "a.ts"),
      edit("msg_3", 5, "a.ts"),
    ];
    await index.hold([{ session: buildSession(), messages }]);
    const { hits } = await index.search.searchEdits(ask("wish path:a.ts", { date: { from: at(4), to: at(6) } }));
    expect(hits.map(({ messageId, firstEdit }) => [messageId, firstEdit])).toEqual([["msg_3", false]]);
  });
});

describe("a search", () => {
  test("ends with the reason of its abort", async () => {
    await index.hold(saying("go"));
    const reason = new Error("the person pressed escape");
    await expect(index.search.searchMessages(ask("go", { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  });

  test("leaves no read transaction behind, also when many run at once", async () => {
    await index.hold(saying("go", "function", "部署"));
    const queries = ["go", "function", "部署", "-go", "go OR 部署", "absent"];
    const found = await Promise.all(queries.map((query) => sessionsFor(query)));
    expect(found).toEqual([["go"], ["function"], ["部署"], ["function", "部署"], ["go", "部署"], []]);
    expect(index.index.readConnection().inTransaction).toBe(false);
  });

  test("hands on the notes of the query and what is indexed", async () => {
    await index.hold(saying("go"));
    const { notes, coverage } = await index.search.searchMessages(ask('go "unfinished'));
    expect(notes).toHaveLength(1);
    expect(coverage).toMatchObject({ indexedSessions: 1, troubles: [] });
  });
});
