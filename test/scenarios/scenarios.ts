/** Scenarios: search, edits, reading, live sync and archive, each as a person meets it. */

import { join } from "node:path";

import { expect } from "vitest";

import { fieldsOf, listOf, nameOf } from "../../src/host/fields.ts";
import { answerThat, archived, callTool, contentsOf, found, type Scenario } from "./scenario.ts";

const SEARCH = "history-search-messages";

export const scenarios: readonly Scenario[] = [
  {
    name: "a word of a past session finds it, with an excerpt, and not the session that asks",
    async play(stage) {
      const { sessionId } = await stage.conversation.say("Why is the marmalade deploy slow?", [
        { text: "It waits for the quarantined mirror." },
      ]);
      const answer = await found(stage, "marmalade quarantined", sessionId);
      expect(answer).toContain("Why is the marmalade deploy slow?");
      const own = await callTool(stage, SEARCH, { query: "zanzibar" }, "Anything on zanzibar?");
      expect(own).not.toContain("Anything on zanzibar?");
    },
  },
  {
    name: "a tool's output and a session's title are searched too",
    async play(stage) {
      const { sessionId } = await stage.conversation.say("Show the build number", [
        { calls: [{ tool: "bash", args: { command: "echo build-pistachio-77", description: "prints" } }] },
        { text: "There it is." },
      ]);
      await found(stage, "build-pistachio-77", sessionId);
      const titled = `title:"build number"`;
      await answerThat(stage, ["history-search-sessions", { query: titled }], "the title", (answer) =>
        answer.includes(sessionId),
      );
    },
  },
  {
    name: "an edit is found by its file, with the prompt behind it",
    async play(stage) {
      const filePath = join(stage.directory, "src", "tangerine.ts");
      const { sessionId } = await stage.conversation.say("Give tangerine a longer lifetime", [
        { calls: [{ tool: "write", args: { filePath, content: "export const life = 10;\n" } }] },
        { calls: [{ tool: "edit", args: { filePath, oldString: "10", newString: "24" } }] },
        { text: "Done." },
      ]);
      const answer = await answerThat(
        stage,
        ["history-search-edits", { query: "path:src/tangerine.ts" }],
        "both edits",
        (text) => text.includes(sessionId) && /\bedit\b/u.test(text) && /\bwrite\b/u.test(text),
      );
      expect(answer).toContain("Give tangerine a longer lifetime");
    },
  },
  {
    name: "a session is read from its start, and around a message",
    async play(stage) {
      const { conversation } = stage;
      const sessionId = await conversation.createSession();
      for (const n of ["one", "two", "three"]) {
        await conversation.say(`Question ${n} of cranberry`, [{ text: `Answer ${n} of cranberry` }], { sessionId });
      }
      const whole = await callTool(stage, "history-read", { sessionID: sessionId, limit: 50 });
      expect(contentsOf(whole, "cranberry")).toEqual(
        ["one", "two", "three"].flatMap((n) => [`Question ${n} of cranberry`, `Answer ${n} of cranberry`]),
      );
      const messages = listOf(fieldsOf(JSON.parse(whole))["messages"]).map((message) => fieldsOf(message));
      const anchor = messages.find((message) => message["content"] === "Question two of cranberry");
      const window = {
        sessionID: sessionId,
        messageID: nameOf(anchor?.["messageID"]),
        before: 0,
        after: 1,
        role: "user",
      };
      const around = await callTool(stage, "history-read", window);
      expect(contentsOf(around, "cranberry")).toEqual(["Question two of cranberry", "Question three of cranberry"]);
    },
  },
  {
    name: "a tool says what is wrong with its arguments, and how to write them",
    async play(stage) {
      const answer = await callTool(stage, SEARCH, { query: "kiwi", date: "lately" });
      expect(answer).toContain("lately");
      expect(answer).toContain("YYYY-MM-DD");
      expect(await callTool(stage, SEARCH, { query: "kiwi", limit: 5000 })).toContain("lowered");
      expect(await callTool(stage, SEARCH, { query: "kiwi", limit: 1.5 })).toContain("limit");
      expect(await callTool(stage, SEARCH, { query: "kiwi", colour: "red" })).toContain("colour");
    },
  },
  {
    name: "a renamed session is found by its new title, and not by the old one",
    async play(stage) {
      const { sessionId } = await stage.conversation.say("Start on the lychee page", [{ text: "Started." }]);
      await found(stage, "lychee", sessionId);
      await stage.conversation.rename(sessionId, "Grapefruit relaunch");
      const search = ["history-search-sessions", { query: "title:grapefruit" }] as const;
      await answerThat(stage, search, "the new title", (answer) => answer.includes(sessionId));
      expect(await callTool(stage, "history-search-sessions", { query: "title:lychee" })).not.toContain(sessionId);
    },
  },
  {
    name: "an archived session is found as one",
    async play(stage) {
      const { sessionId } = await stage.conversation.say("Sort the guava crates", [{ text: "Sorted." }]);
      await found(stage, "guava", sessionId);
      await stage.conversation.archive(sessionId, Date.now());
      const search = ["history-search-sessions", { query: "is:archived guava" }] as const;
      await answerThat(stage, search, "the archived one", (answer) => answer.includes(sessionId));
    },
  },
  {
    name: "a deleted session is not found any more, nor is its sub-agent's",
    async play(stage) {
      stage.script("Count the durian stalls", [{ text: "Seven durian stalls counted." }]);
      const args = { description: "count stalls", prompt: "Count the durian stalls", subagent_type: "general" };
      const { sessionId } = await stage.conversation.say("Have the market counted", [
        { calls: [{ tool: "task", args }] },
        { text: "Counted." },
      ]);
      const [childId] = await stage.conversation.children(sessionId);
      const answer = await found(stage, '"Seven durian stalls" is:subagent', childId ?? "no child");
      expect(answer).toContain(sessionId);
      await stage.conversation.remove(sessionId);
      await found(stage, '"Seven durian stalls"', childId ?? "no child", false);
      await found(stage, '"Have the market counted"', sessionId, false);
      expect(await callTool(stage, "history-read", { sessionID: sessionId })).toContain("no session");
    },
  },
  {
    name: "reverted words are flagged, unflagged when taken back, and gone with the next prompt",
    async play(stage) {
      const { conversation } = stage;
      const sessionId = await conversation.createSession();
      await conversation.say("Keep the papaya plan", [{ text: "Kept." }], { sessionId });
      await conversation.say("Add the rambutan plan", [{ text: "Added." }], { sessionId });
      await found(stage, "rambutan", sessionId);
      const messages = (await conversation.messages(sessionId)).map((message) => {
        const { info, parts, id, text } = fieldsOf(message);
        return { id: nameOf(id) ?? nameOf(fieldsOf(info)["id"]), words: `${String(text)} ${JSON.stringify(parts)}` };
      });
      const boundary = messages.find(({ words }) => words.includes("rambutan"));
      const revert = () => conversation.revert(sessionId, boundary?.id ?? "no message");
      const search = [SEARCH, { query: "rambutan" }] as const;
      const isFlagged = (answer: string) => answer.includes(sessionId) && answer.includes("reverted");
      await revert();
      await answerThat(stage, search, "the mark", isFlagged);
      expect(await callTool(stage, "history-search-sessions", { query: "is:reverted rambutan" })).toContain(sessionId);
      await conversation.unrevert(sessionId);
      await answerThat(stage, search, "no mark", (answer) => answer.includes(sessionId) && !isFlagged(answer));
      await revert();
      await conversation.say("Take the physalis plan instead", [{ text: "Taken." }], { sessionId });
      await found(stage, "physalis", sessionId);
      await found(stage, "rambutan", sessionId, false);
      await found(stage, "papaya", sessionId);
    },
  },
  {
    name: "what was said before a compaction is still found and read",
    async play(stage) {
      const { sessionId } = await stage.conversation.say("Note the persimmon budget", [{ text: "Noted." }]);
      await stage.conversation.compact(sessionId);
      await stage.conversation.say("Go on after the medlar summary", [{ text: "Gladly." }], { sessionId });
      await found(stage, "persimmon medlar", sessionId);
      const read = await callTool(stage, "history-read", { sessionID: sessionId, limit: 50 });
      expect(contentsOf(read, "persimmon")).toContain("Note the persimmon budget");
    },
  },
  {
    name: "a failed turn is found as an error",
    async play(stage) {
      const { sessionId } = await stage.conversation.say("Ask about the quince outage", [{ status: 400 }]);
      await found(stage, "quince is:error", sessionId);
    },
  },
  {
    name: "a session is archived as readable JSON, and follows its renaming and deletion",
    async play(stage) {
      const { sessionId } = await stage.conversation.say("Archive the mulberry talk", [
        { calls: [{ tool: "bash", args: { command: "echo mulberry", description: "prints" } }] },
        { text: "Talked about mulberry." },
      ]);
      const file = await archived(stage, sessionId, "with its last words", (candidate) =>
        JSON.stringify(candidate["turns"]).includes("Talked about mulberry."),
      );
      expect(file).toMatchObject({ _id: sessionId, parentId: null, deletedAt: null, removedTurns: [] });
      const [turn] = listOf(file["turns"]).map((given) => fieldsOf(given));
      expect(turn).toMatchObject({
        role: "user",
        parts: [expect.objectContaining({ type: "text", text: "Archive the mulberry talk" })],
      });
      const toolParts = listOf(file["turns"])
        .flatMap((given) => listOf(fieldsOf(given)["parts"]))
        .map((part) => fieldsOf(part))
        .filter((part) => part["type"] === "tool");
      expect(toolParts).toEqual([
        expect.objectContaining({ toolOutput: expect.stringContaining("mulberry"), isError: false }),
      ]);
      await stage.conversation.rename(sessionId, "Mulberry, archived");
      await archived(stage, sessionId, "renamed", (candidate) => candidate["title"] === "Mulberry, archived");
      await stage.conversation.remove(sessionId);
      await archived(stage, sessionId, "marked as deleted", (candidate) => candidate["deletedAt"] !== null);
    },
  },
  {
    name: "permission prompts and their answers are archived, though the host keeps neither",
    async play(stage) {
      const turn = stage.conversation.say("Run the elderberry command", [
        { calls: [{ tool: "bash", args: { command: "echo ask elderberry", description: "asks" } }] },
        { text: "Ran it." },
      ]);
      const requestId = await stage.conversation.answerPermission("once");
      const { sessionId } = await turn;
      const file = await archived(
        stage,
        sessionId,
        "with both",
        (candidate) => listOf(candidate["permissions"]).length > 1,
      );
      expect(file["permissions"]).toEqual([
        expect.objectContaining({ type: "asked", requestId, command: "echo ask elderberry" }),
        expect.objectContaining({ type: "replied", requestId, reply: "once", allowed: true }),
      ]);
    },
  },
];
