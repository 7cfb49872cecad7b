import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createFake2Stage } from "./fake-2-stage.ts";
import type { Stage } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await createFake2Stage();
});

afterAll(async () => {
  await stage.dispose();
});

describe("on the fake OpenCode 2.x", () => {
  it.each(scenarios)("$name", { timeout: 90_000 }, async (scenario) => {
    await expect(scenario.play(stage)).resolves.toBeUndefined();
  });
});
