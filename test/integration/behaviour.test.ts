import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findable, lookUp } from "../support/look-up.ts";
import { createReal1Stage, type Real1Stage } from "../scenarios/real-1-stage.ts";
import { scenarios } from "../scenarios/scenarios.ts";

let stage: Real1Stage;

beforeAll(async () => {
  stage = await createReal1Stage();
});

afterAll(async () => {
  await stage.dispose();
});

describe("on a real OpenCode 1.18", () => {
  it.each(scenarios)("$name", async (scenario) => {
    await expect(scenario.play(stage)).resolves.toBeUndefined();
  });

  it("the /history command has the model search for the words behind it, and no search finds that", async () => {
    const sessionId = await stage.conversation.createSession({ title: "Birds" });
    stage.provider.script("pelicans and herons", [{ text: "They live on the shore." }]);
    await stage.conversation.command(sessionId, "history", "pelicans and herons");
    const asked = stage.provider.requests.findLast((request) => !request.isTitle)?.prompt ?? "";
    expect(asked).toContain("pelicans and herons");
    expect(asked).toContain("history-search-messages");
    await findable(stage.conversation, sessionId, "live on the shore");
    const answer = await lookUp(stage.conversation, "history-search-messages", { query: "pelicans OR herons" });
    expect(answer).toMatch(/^No session matches\./u);
  });

  it("all of this happens without a word on the host's terminal", () => {
    expect(stage.host.stderr()).toBe("");
    expect(stage.host.stdout().trim().split("\n")).toHaveLength(2);
  });
});
