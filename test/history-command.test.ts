/** What `/history` leaves behind: an ask that is read and shown, but that no search finds. */

import { expect, test } from "vitest";

import { historyCommand } from "../src/history-command.ts";
import type { Message } from "../src/session/session.ts";
import { ToldHistory } from "./cases/told-history.ts";
import { assistantMessage, BUILT_AT, toolPart, userMessage } from "./support/builders.ts";

/** The message that a host makes of `/history words`. */
function asked(words: string, id = "msg_ask"): Message {
  return userMessage(id, historyCommand.template.replaceAll("$ARGUMENTS", words).trim());
}

async function askThreeTimes(): Promise<ToldHistory> {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_source", updatedAt: BUILT_AT }, ["The upload fails with ECONNRESET"]);
  for (const place of [1, 2, 3]) {
    await history.tell({ id: `ses_ask_${place}`, updatedAt: BUILT_AT + place * 1000 }, [asked("ECONNRESET")]);
  }
  return history;
}

test("asking for a word does not push its source out of the answers", async () => {
  const history = await askThreeTimes();
  const { hits, more } = await history.messages("ECONNRESET", { limit: 3 });
  expect(hits.map(({ sessionId }) => sessionId)).toEqual(["ses_source"]);
  expect(more).toBe(false);
});

test.each(["past sessions", "OR", "history-read", "opencode-history", '"/history"', "command"])(
  "the command's own words are not found: %s",
  async (query) => {
    const history = await askThreeTimes();
    expect(await history.find(query)).toEqual([]);
  },
);

test("the session of an ask is listed all the same, and what else was said there is found", async () => {
  const history = await ToldHistory.begin();
  const answer = assistantMessage("msg_answer", ["It was the proxy"], { createdAt: BUILT_AT + 1000 });
  await history.tell({ id: "ses_ask" }, [asked("ECONNRESET"), answer]);
  expect(await history.find("")).toEqual(["ses_ask"]);
  expect(await history.find("proxy -ECONNRESET")).toEqual(["ses_ask"]);
});

test("history-read shows the ask whole", async () => {
  const history = await askThreeTimes();
  const { messages } = await history.read({ sessionID: "ses_ask_1" });
  expect(messages.map(({ content }) => content)).toEqual([expect.stringMatching(/^\/history ECONNRESET\n\n/u)]);
});

test.each([
  ["ECONNRESET in the upload", "   | /history ECONNRESET in the upload"],
  ["", "   | /history"],
])("behind an edit stands what was typed: %j", async (words, line) => {
  const history = await ToldHistory.begin();
  const change = assistantMessage("msg_edit", [toolPart("edit", { filePath: "src/upload.ts" })], {
    createdAt: BUILT_AT + 1000,
    parentId: "msg_ask",
  });
  await history.tell({ id: "ses_ask" }, [asked(words), change]);
  const answer = await history.call("history-search-edits", { query: "path:upload.ts" });
  expect(answer.split("\n")).toContain(line);
});
