import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { assistantMessage, buildConversation, toolPart, userMessage } from "../support/builders.ts";
import { fullPass, Harness, update } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.make();
});
afterEach(() => harness.dispose());

describe("an archived session", () => {
  test("is a file of its turns and an entry in the list", async () => {
    const archive = harness.open();
    const session = harness.session();
    const messages = [
      userMessage("msg_1", "Fix it"),
      assistantMessage("msg_2", [toolPart("read", { filePath: "src/a.ts" }, { output: "text" })]),
    ];
    await fullPass(archive, session, messages);
    await archive.flush();
    await update(archive, session, [assistantMessage("msg_2", ["x"]), ...buildConversation("ses_1", 3)]);
    await archive.flush();
    const json = await harness.json("ses_1.json");
    expect(json.turns.length).toBe(5);
    const again = harness.open();
    expect(await again.outdated([session])).toEqual(new Set());
    expect(await update(again, session, [userMessage("msg_9", "later", { createdAt: Date.now() })])).toBe(true);
    await again.flush();
    expect((await harness.json("ses_1.json")).turns.length).toBe(6);
  });
});
