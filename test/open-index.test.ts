import { describe, expect, it } from "vitest";

import { indexFolder } from "../src/open-index.ts";

describe("the folder of the search index", () => {
  it.each([
    [null, "/home/ann/.local/share/opencode/history-search"],
    ["/data/index", "/data/index"],
    ["~/index", "/home/ann/index"],
    ["~", "/home/ann"],
    ["index", "/home/ann/.local/share/opencode/index"],
    ["./index", "/home/ann/.local/share/opencode/index"],
    ["~ben/index", "/home/ann/.local/share/opencode/~ben/index"],
  ])("with the option %j is %s, wherever OpenCode was started", (configured, folder) => {
    expect(indexFolder(configured, "/home/ann/.local/share/opencode", "/home/ann")).toBe(folder);
  });
});
