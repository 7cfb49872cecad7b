import { expect, test } from "vitest";

import type { Revert } from "../../src/session/session.ts";
import { assistantMessage, BUILT_AT, buildSession, toolPart, userMessage } from "../support/builders.ts";
import { ToldHistory } from "./told-history.ts";

test.each(["nothing-like-this", "部署", "path:src/none.ts x", "zz project:/nowhere"])(
  "case 73: a miss is answered at once, with the coverage, and without asking the host: %s",
  async (query) => {
    const history = await ToldHistory.begin();
    await history.tell({ id: "ses_0" }, ["something"]);
    history.index.setKnownSessions(3);
    await history.index.outdated([buildSession({ id: "ses_1" }), buildSession({ id: "ses_2" })]);
    const callsBefore = history.host.calls.length;
    const answer = await history.call("history-search-messages", { query });
    expect(answer).toMatch(/^No session matches\./u);
    expect(answer).toMatch(/index: 1 of 3 sessions\. Indexing goes on/u);
    expect(history.host.calls.length).toBe(callsBefore);
  },
);

/** A parent, three children and a grandchild, each saying its own word. */
async function tellFamily(order: readonly string[]): Promise<ToldHistory> {
  const parents: Record<string, string | null> = {
    ses_parent: null,
    ses_first: "ses_parent",
    ses_second: "ses_parent",
    ses_third: "ses_parent",
    ses_nested: "ses_second",
  };
  const history = await ToldHistory.begin();
  for (const id of order) await history.tell({ id, parentId: parents[id] ?? null }, [`word-of-${id.slice(4)}`]);
  return history;
}

const FAMILY = ["ses_parent", "ses_first", "ses_second", "ses_third", "ses_nested"];

test.each([
  ["parents first", FAMILY],
  ["children first", FAMILY.toReversed()],
  ["in between", ["ses_nested", "ses_parent", "ses_third", "ses_second", "ses_first"]],
])("case 80: a hit in a sub-agent's session names the root, whoever came first: %s", async (_what, order) => {
  const history = await tellFamily(order);
  for (const id of FAMILY.slice(1)) {
    const { hits } = await history.messages(`word-of-${id.slice(4)}`);
    expect(hits).toMatchObject([{ sessionId: id, rootId: "ses_parent" }]);
  }
  expect((await history.messages("word-of-nested")).hits[0]?.parentId).toBe("ses_second");
  expect((await history.messages("word-of-parent")).hits[0]?.rootId).toBeNull();
  expect((await history.find("is:subagent")).toSorted()).toEqual(FAMILY.slice(1).toSorted());
  expect(await history.call("history-search-messages", { query: "word-of-nested" })).toContain(
    "sub-agent of session ses_parent",
  );
  expect((await history.read({ sessionID: "ses_nested" })).messages[0]?.content).toBe("word-of-nested");
});

test.each([
  ["a parent that is gone", ["ses_first", "ses_nested"], "ses_nested", "ses_second"],
  ["a grandparent that is gone", ["ses_second", "ses_nested"], "ses_nested", "ses_parent"],
])("case 80: orphans are found too, with what is known above them: %s", async (_what, order, id, root) => {
  const history = await tellFamily(order);
  expect((await history.messages(`word-of-${id.slice(4)}`)).hits).toMatchObject([{ sessionId: id, rootId: root }]);
});

test.each([
  ["themselves", [["ses_a", "ses_a"]]],
  [
    "each other",
    [
      ["ses_a", "ses_b"],
      ["ses_b", "ses_a"],
    ],
  ],
  [
    "three in a ring",
    [
      ["ses_a", "ses_b"],
      ["ses_b", "ses_c"],
      ["ses_c", "ses_a"],
    ],
  ],
] as const)("case 80: sessions that are parents of %s are searched all the same", async (_what, pairs) => {
  const history = await ToldHistory.begin();
  for (const [id, parentId] of pairs) await history.tell({ id, parentId }, ["needle"]);
  expect((await history.find("needle")).length).toBe(pairs.length);
  const answer = await history.call("history-search-messages", { query: "needle" }, { sessionId: "ses_a" });
  expect(answer).toMatch(/^No session matches/u);
});

const edit = (path: string) => toolPart("write", { filePath: path }, { endedAt: BUILT_AT + 2500 });

/** Three turns; the second one edits a file. */
const TURNS = [
  userMessage("msg_1", "first word"),
  assistantMessage("msg_2", ["first answer"], { createdAt: BUILT_AT + 1000 }),
  userMessage("msg_3", "second word", { createdAt: BUILT_AT + 2000 }),
  assistantMessage("msg_4", ["second answer", edit("src/b.ts")], { createdAt: BUILT_AT + 2500 }),
  userMessage("msg_5", "third word", { createdAt: BUILT_AT + 3000 }),
];

async function reverted(history: ToldHistory, word: string): Promise<boolean | undefined> {
  return (await history.messages(word)).hits[0]?.matches[0]?.reverted;
}

test.each<[what: string, revert: Revert, flags: readonly [first: boolean, second: boolean, third: boolean]]>([
  ["the second turn on", { messageId: "msg_3", partId: null }, [false, true, true]],
  ["the last one", { messageId: "msg_5", partId: null }, [false, false, true]],
  ["all", { messageId: "msg_1", partId: null }, [true, true, true]],
  ["a message that is not there any more", { messageId: "msg_gone", partId: null }, [false, false, false]],
])(
  "case 82: what a revert hides is found, flagged, and is back after an unrevert: %s",
  async (_what, revert, flags) => {
    const history = await ToldHistory.begin();
    await history.tell({ id: "ses_0", revert }, TURNS);
    const words = ["first", "second", "third"];
    for (const [place, word] of words.entries()) expect(await reverted(history, `"${word} word"`)).toBe(flags[place]);
    expect(await history.find("is:reverted")).toEqual(["ses_0"]);
    const read = await history.read({ sessionID: "ses_0" });
    expect([0, 2, 4].map((place) => read.messages[place]?.reverted ?? false)).toEqual(flags);
    const edits = await history.call("history-search-edits", { query: "path:b.ts" });
    expect(edits.includes("· reverted")).toBe(flags[1]);

    await history.tell({ id: "ses_0", revert: null }, TURNS);
    for (const word of words) expect(await reverted(history, `"${word} word"`)).toBe(false);
    expect(await history.find("is:reverted")).toEqual([]);
  },
);

test("case 82: the prompt after a revert really removes what was hidden", async () => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_0", revert: { messageId: "msg_3", partId: null } }, TURNS);
  const next = userMessage("msg_6", "another word", { createdAt: BUILT_AT + 9000 });
  await history.tell({ id: "ses_0", revert: null }, [...TURNS.slice(0, 2), next]);
  expect(await history.find('"second word" OR "third word"')).toEqual([]);
  expect(await history.find('"first word" "another word"')).toEqual(["ses_0"]);
  expect(await history.find("path:b.ts")).toEqual([]);
});
