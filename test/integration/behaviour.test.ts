import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createReal1Stage } from "../scenarios/real-1-stage.ts";
import type { Stage } from "../scenarios/scenario.ts";
import { scenarios } from "../scenarios/scenarios.ts";

let stage: Stage;

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
});
