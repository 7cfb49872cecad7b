import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createFake2Stage, type Fake2Stage } from "./fake-2-stage.ts";
import { callTool, found } from "./scenario.ts";

let stage: Fake2Stage;

beforeAll(async () => {
  stage = await createFake2Stage({ registered: false });
});

afterAll(async () => {
  await stage.dispose();
});

describe("an OpenCode 2.x whose service is not registered", () => {
  it("answers searches, and says that new history is not being read, why, and what to do", async () => {
    const answer = await callTool(stage, "history-search-messages", { query: "tamarind" });
    expect(answer).toContain("New history is not being read.");
    expect(answer).toContain("opencode serve --service");
  });

  it("finds what was said meanwhile as soon as the service registers", { timeout: 60_000 }, async () => {
    const { sessionId } = await stage.conversation.say("Plant the tamarind tree", [{ text: "Planted." }]);
    await stage.fake.register();
    const answer = await found(stage, "tamarind planted", sessionId);
    expect(answer).not.toContain("New history is not being read.");
  });
});
