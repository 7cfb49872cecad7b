import { expect, test } from "vitest";

import type { Message } from "../../src/session/session.ts";
import { assistantMessage, BUILT_AT, textPart, toolPart, userMessage } from "../support/builders.ts";
import { ToldHistory } from "./told-history.ts";

test.each([
  ["ghijkl", "abc\0def ghijkl"],
  ["abc", "abc\0def ghijkl"],
  ["ef gh", "abc\0def ghijkl"],
  ["ab\0cd", "ab\0cd"],
  ["last", "\0\0\0last"],
])("case 10: a NUL hides nothing that stands behind it: %j", async (query, text) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_text" }, [text]);
  await history.tell({ id: "ses_title", title: text }, []);
  await history.tell({ id: "ses_output" }, [assistantMessage("msg_1", [toolPart("bash", {}, { output: text })])]);
  expect((await history.find(query)).toSorted()).toEqual(["ses_output", "ses_text", "ses_title"]);
  const answer = await history.call("history-search-messages", { query });
  expect(answer.includes("\0")).toBe(false);
});

test.each([
  ["привет", "ПРИВЕТ мир"],
  ["МИР", "ПРИВЕТ мир"],
  ["οδος", "ΟΔΟΣ"],
  ["ΟΔΌΣ", "οδός"],
  ["straße", "STRASSE straße"],
  ["istanbul", "İSTANBUL"],
  ["ñandú", "ÑANDÚ"],
  ["ａｂｃ", "ABC"],
])("case 12: either case of any script meets the other, by postings and by reading: %j", async (query, text) => {
  const history = await ToldHistory.begin();
  await history.tellEach([text, "something else"]);
  expect(await history.find(query)).toEqual(["ses_0"]);
  expect(await history.find(`title:"${query}"`)).toEqual([]);
  await history.tell({ id: "ses_1", title: text }, []);
  expect(await history.find(`title:"${query}"`)).toEqual(["ses_1"]);
});

test.each([
  ["cafe\u0301", "caf\u00e9"],
  ["caf\u00e9", "cafe\u0301"],
  ["cafe", "caf\u00e9"],
  ["cafe", "cafe\u0301"],
  ["й", "и\u0306од"],
  ["가", "\u1100\u1161"],
  ["が", "か\u3099"],
  ["A\u030angstrom", "\u212bngstrom"],
])("case 14: composed and decomposed forms meet: %j", async (query, text) => {
  const history = await ToldHistory.begin();
  await history.tellEach([text, "tin"]);
  expect(await history.find(query)).toEqual(["ses_0"]);
});

const CLUSTERS = ["🔌", "🇩🇪", "🤖", "👨\u200d👩\u200d👧\u200d👦", "👍\u{1f3fd}", "e\u0301", "각", "क्षि"];

test.each(CLUSTERS)("case 16: no excerpt and no message is cut within %s", async (cluster) => {
  const history = await ToldHistory.begin();
  const around = cluster.repeat(400);
  await history.tell({ id: "ses_0" }, [`${around}xneedle${around}`]);
  for (const filler of ["", "a", "ab", "abc"]) {
    await history.tell({ id: "ses_0" }, [`${around}${filler}xneedle${filler}${around}`]);
    const answer = await history.call("history-search-messages", { query: "needle" });
    expect(answer).not.toMatch(/\p{Surrogate}/u);
    const excerpt = answer.split("\n").find((line) => line.includes("⟦needle⟧")) ?? "";
    const shown = excerpt
      .replace(/^ {3}\| /u, "")
      .replaceAll("…", "")
      .replace(`${filler}x⟦needle⟧${filler}`, "");
    expect(shown.replaceAll(cluster, "")).toBe("");
    expect(shown).not.toBe("");
  }
});

test.each([100, 101, 102, 103, 104])("case 16: a message cut after %i characters is well-formed", async (cap) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_0" }, ["🤖".repeat(200), `x${"🤖".repeat(200)}`, `${"🤖".repeat(50)}\ud83d`]);
  const { messages } = await history.read({ sessionID: "ses_0", maxCharsPerMessage: cap });
  expect(messages.map(({ content }) => content.length <= cap && !/\p{Surrogate}/u.test(content))).toEqual([
    true,
    true,
    true,
  ]);
  expect(messages[0]?.content).toBe("🤖".repeat(50 + Math.floor((cap - 100) / 2)));
});

test.each([
  ["history-search-messages", { query: "x", date: "last \ud83d" }],
  ["history-search-sessions", { query: "x", date: `${"🤖".repeat(5000)}\udd16` }],
  ["history-search-edits", { role: "\ud83d" }],
  ["history-read", { sessionID: `\ud83d${"x".repeat(100_000)}` }],
  ["history-read", { sessionID: "ses_0", messageID: "\ud83d\0" }],
  ["history-read", { sessionID: "ses_0", cursor: "🤖".repeat(5000) }],
])("case 16: a refusal that repeats what was sent is well-formed and short: %s %#", async (name, args) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_0" }, ["needle"]);
  const refusal = await history.call(name, args).catch((error: Error) => error.message);
  expect(refusal).toMatch(new RegExp(`^${name}: `, "u"));
  expect(refusal).not.toMatch(/\p{Surrogate}|\0/u);
  expect(refusal.length).toBeLessThan(2200);
});

test.each([
  ["fingerprint-login", "fingerprint"],
  ["修复登录", "登录"],
  ["Café crème", "creme"],
])("case 18: the title %j is found, and after a rename only the new one", async (title, query) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_0", title }, ["nothing of it here"]);
  expect(await history.find(query)).toEqual(["ses_0"]);
  expect(await history.find(`title:${query}`)).toEqual(["ses_0"]);
  await history.tell({ id: "ses_0", title: "renamed-thing" }, ["nothing of it here"]);
  expect(await history.find(query)).toEqual([]);
  expect(await history.find("renamed")).toEqual(["ses_0"]);
});

/** A session in which "alpha beta" was said before, and is now asked for. */
function asking(sessionId: string): Message[] {
  const said = (place: number, text: string) =>
    userMessage(`msg_${sessionId}_${place}`, text, { createdAt: BUILT_AT + place * 1000 });
  const query = toolPart("history-search-messages", { query: "alpha gamma" }, { output: "alpha gamma: 3 sessions" });
  return [
    said(0, "earlier we said alpha delta"),
    said(1, "find alpha beta"),
    assistantMessage("msg_a", ["looking for alpha beta", query], { createdAt: BUILT_AT + 2000 }),
  ];
}

const turnStartedAt = BUILT_AT + 1000;
const askedBy = (sessionId: string, startedAt: number | null = turnStartedAt) => ({
  asker: { sessionId, projectId: "project-1", directory: "/w/app", turnStartedAt: startedAt },
});

test.each([
  ["the question itself", "alpha beta", []],
  ["what the same session said before", "alpha delta", ["ses_asking"]],
  ["an exclusion, which does not look at the question", "delta -beta", ["ses_asking"]],
  ["the words of a search", "gamma", []],
] as const)("case 20: the asking turn is not found: %s", async (_what, query, found) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_asking" }, asking("ses_asking"));
  expect(await history.find(query, askedBy("ses_asking"))).toEqual(found);
  expect(await history.find(query, askedBy("ses_asking", null))).toEqual(found);
});

test("case 20: nor is what led a sub-agent to ask, at any depth", async () => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_root" }, asking("ses_root"));
  await history.tell({ id: "ses_middle", parentId: "ses_root", createdAt: turnStartedAt }, ["look for alpha beta"]);
  await history.tell({ id: "ses_leaf", parentId: "ses_middle", createdAt: turnStartedAt }, ["alpha beta please"]);
  await history.tell({ id: "ses_other" }, ["alpha beta was done here"]);
  expect(await history.find("alpha beta", askedBy("ses_leaf"))).toEqual(["ses_other"]);
  expect(await history.find("alpha delta", askedBy("ses_leaf"))).toEqual(["ses_root"]);
});

test("case 20: a later turn finds what an earlier one asked, but no search of it", async () => {
  const history = await ToldHistory.begin();
  const next = userMessage("msg_z", "and now?", { createdAt: BUILT_AT + 9000 });
  await history.tell({ id: "ses_asking" }, [...asking("ses_asking"), next]);
  expect(await history.find("alpha beta", askedBy("ses_asking", BUILT_AT + 9000))).toEqual(["ses_asking"]);
  expect(await history.find("gamma", askedBy("ses_asking", BUILT_AT + 9000))).toEqual([]);
});

test("case 74: words around encoded data are found, the data and its size are not kept", async () => {
  const history = await ToldHistory.begin();
  const data = "iVBORw0KGgo+".repeat(420_000);
  await history.tell({ id: "ses_0" }, [
    userMessage("msg_0", "", { parts: [textPart(`before data:image/png;base64,${data} behind`)] }),
    assistantMessage("msg_1", [toolPart("read", { filePath: "a.png" }, { output: `start ${data} finish` })]),
    assistantMessage("msg_2", [
      toolPart("bash", { command: "cat" }, { output: `head ${"log line\n".repeat(600_000)} tail` }),
    ]),
  ]);
  for (const word of ["before", "behind", "start", "finish", "head", "tail"]) {
    expect(await history.find(word)).toEqual(["ses_0"]);
  }
  expect(await history.find("iVBORw0K")).toEqual([]);
  const rows = history.index
    .readConnection()
    .all({ text: "SELECT sum(length(text)) AS size FROM documents", parameters: [] });
  expect(Number(rows[0]?.["size"])).toBeLessThan(80 * 1024);
});
