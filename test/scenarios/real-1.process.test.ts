import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createReal1Stage } from "./real-1-stage.ts";
import type { Stage } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await createReal1Stage();
}, 120_000);

afterAll(async () => {
  await stage.dispose();
}, 120_000);

describe("on a real OpenCode 1.18", () => {
  it.each(scenarios)("$name", async (scenario) => {
    await expect(scenario.play(stage)).resolves.toBeUndefined();
  });
});
