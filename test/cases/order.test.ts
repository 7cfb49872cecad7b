import { expect, test } from "vitest";

import type { Message } from "../../src/session/session.ts";
import { assistantMessage, BUILT_AT, toolPart, userMessage } from "../support/builders.ts";
import { startSync } from "../support/sync-harness.ts";
import { buildSession } from "../support/builders.ts";
import { ToldHistory } from "./told-history.ts";

const HOUR_MS = 3_600_000;
const messageOf = (id: string, place: number) =>
  userMessage(id, `needle ${place}`, { createdAt: BUILT_AT + place * HOUR_MS });

/** Ids in the order of time, whatever they look like. */
const ID_ORDERS: readonly (readonly [what: string, ids: readonly string[]])[] = [
  ["wrapped in the middle", ["msg_fffb00", "msg_fffc4d", "msg_000522", "msg_000701"]],
  ["descending", ["msg_d", "msg_c", "msg_b", "msg_a"]],
  ["of several lengths", ["msg_9", "msg_10", "msg_100", "msg_2"]],
  ["in mixed case", ["msg_z", "msg_Z", "msg_a", "msg_A"]],
];

test.each(ID_ORDERS)("case 31: order and paging go by time, not by ids: %s", async (_what, ids) => {
  const history = await ToldHistory.begin();
  const messages = ids.map(messageOf);
  await history.tell({ id: "ses_0" }, messages);
  const { hits } = await history.messages("needle");
  expect(hits[0]?.matches[0]?.messageId).toBe(ids[0]);
  const read: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await history.read({ sessionID: "ses_0", limit: 1, cursor });
    read.push(...page.messages.map(({ messageID }) => messageID));
    cursor = page.nextCursor;
  }
  expect(read).toEqual(ids);
  const around = await history.read({ sessionID: "ses_0", messageID: ids[1], before: 1, after: 1 });
  expect(around.messages.map(({ messageID }) => messageID)).toEqual(ids.slice(0, 3));
});

test.each(ID_ORDERS)(
  "case 31: live sync finds new messages whose ids sort before the known ones: %s",
  async (_what, ids) => {
    const { store, clock, sink, say } = startSync();
    store.putSession(buildSession(), ids.slice(0, 2).map(messageOf));
    await clock.advance(10_000);
    for (const [place, id] of ids.slice(2).entries()) say(messageOf(id, place + 2));
    await clock.advance(10_000);
    expect(sink.ids("ses_1")).toEqual([...ids].sort());
  },
);

const edit = toolPart("edit", { filePath: "src/a.ts" }, { endedAt: BUILT_AT + 5000 });

test.each<[string, readonly Message[]]>([
  [
    "the reply names its prompt, whose id and time are later",
    [
      userMessage("msg_z", "please edit it", { createdAt: BUILT_AT + 56 }),
      assistantMessage("msg_a", [edit], { createdAt: BUILT_AT, parentId: "msg_z" }),
    ],
  ],
  [
    "nothing is linked, and only time tells",
    [
      userMessage("msg_z", "please edit it", { createdAt: BUILT_AT }),
      assistantMessage("msg_a", [edit], { createdAt: BUILT_AT + 56 }),
    ],
  ],
  [
    "the host's own prompt stands between",
    [
      userMessage("msg_z", "please edit it", { createdAt: BUILT_AT }),
      userMessage("msg_b", "", {
        createdAt: BUILT_AT + 20,
        parts: [{ type: "text", id: null, text: "Called the Read tool", synthetic: true }],
      }),
      assistantMessage("msg_a", [edit], { createdAt: BUILT_AT + 56, parentId: "msg_b" }),
    ],
  ],
])("case 32: the prompt behind an edit: %s", async (_what, messages) => {
  const history = await ToldHistory.begin();
  const earlier = userMessage("msg_zz", "something before", { createdAt: BUILT_AT - 1000 });
  await history.tell({ id: "ses_0" }, [earlier, ...messages]);
  const answer = await history.call("history-search-edits", { query: "path:a.ts" });
  expect(answer).toContain("asked for by the user in message msg_z:\n   | please edit it");
});
