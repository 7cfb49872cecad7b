import { describe, expect, it } from "vitest";

import { HostError } from "../../src/host/host.ts";
import { SearchUnavailableError } from "../../src/search/request.ts";
import { SqliteError } from "../../src/sqlite/database.ts";
import { createRecordingLogger } from "../support/recording-logger.ts";
import { buildCall, setUpTools } from "../support/tools.ts";

describe("a search that fails", () => {
  it.each([
    ["the index", new SqliteError("busy", 'fts5: syntax error near "NEAR"')],
    ["a defect", new TypeError("undefined is not a function")],
    ["something that is no error", "thrown text"],
  ])("inside keeps its inner words in the log: %s", async (_what, failure) => {
    const log = createRecordingLogger();
    const { run } = setUpTools({ failure, log });
    const attempt = run("history-search-messages", { query: "x" });
    await expect(attempt).rejects.toThrow(
      /^history-search-messages could not read the history just now\. Try once more/u,
    );
    await expect(attempt).rejects.not.toThrow(/fts5|undefined|thrown text/u);
    expect(log.lines).toMatchObject([{ level: "error", fields: { tool: "history-search-messages" } }]);
  });

  it.each([
    [
      "there is no index",
      new SearchUnavailableError("no SQLite can be loaded."),
      /no SQLite can be loaded\. history-read/u,
    ],
    ["the host fails", new HostError("unavailable", "OpenCode did not answer."), /: OpenCode did not answer\.$/u],
  ])("tells the model what it can act on: %s", async (_what, failure, message) => {
    const log = createRecordingLogger();
    await expect(setUpTools({ failure, log }).run("history-search-edits", {})).rejects.toThrow(message);
    expect(log.lines).toEqual([]);
  });

  it("because it was cancelled rejects with the reason, and is no failure", async () => {
    const log = createRecordingLogger();
    const reason = new Error("stopped by the user");
    const { run, requests } = setUpTools({ log });
    const call = buildCall({ signal: AbortSignal.abort(reason) });
    await expect(run("history-search-edits", {}, call)).rejects.toBe(reason);
    expect(requests).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  it("never shows a secret of its hits", async () => {
    const { run } = setUpTools({ mask: (text) => text.replaceAll("login", "[redacted:test]") });
    for (const name of ["history-search-messages", "history-search-sessions", "history-search-edits"]) {
      const answer = await run(name, { query: "word" });
      expect(answer).not.toContain("login");
      expect(answer).toContain("[redacted:test]");
    }
  });
});
