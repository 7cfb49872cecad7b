import { expect, it } from "vitest";

import { dataFolder } from "../../src/runtime/data-folder.ts";

it.each([
  [{}, "/home/ann/.local/share/opencode"],
  [{ XDG_DATA_HOME: "" }, "/home/ann/.local/share/opencode"],
  [{ XDG_DATA_HOME: "/data" }, "/data/opencode"],
])("with %j OpenCode keeps its data in %s", (env, folder) => {
  expect(dataFolder(env, "/home/ann")).toBe(folder);
});
