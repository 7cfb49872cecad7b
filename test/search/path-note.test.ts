import { describe, expect, test } from "vitest";

import { parseQuery } from "../../src/query/parser.ts";
import { pathNotes } from "../../src/search/path-note.ts";
import { ToldHistory } from "../cases/told-history.ts";
import { assistantMessage, toolPart } from "../support/builders.ts";

const NOTE = 'Note: path: takes the end of a file\'s path from a slash on ("auth.ts", "src/auth.ts")';
const SEARCHES = ["history-search-sessions", "history-search-edits", "history-search-messages"];

async function editedAuth(): Promise<ToldHistory> {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_0" }, [
    assistantMessage("msg_1", ["done", toolPart("edit", { filePath: "/w/app/src/auth.ts" })]),
  ]);
  return history;
}

describe("what path: takes", () => {
  test.each(["path:src", "path:*.ts", "path:SRC/AUTH.TS", "path:uth.ts", "path:src/"])(
    "is said when nothing is found: %s",
    async (path) => {
      const history = await editedAuth();
      for (const name of SEARCHES) {
        const answer = await history.call(name, { query: `done ${path}` });
        expect(answer.split("\n").filter((line) => line.startsWith(NOTE))).toHaveLength(1);
      }
      const projects = await history.call("history-search-sessions", { query: path, show: "projects" });
      expect(projects).toContain(NOTE);
    },
  );

  test.each(["path:auth.ts", "path:src/auth.ts", "path:/w/app/src/auth.ts"])(
    "is not said when something is found: %s",
    async (path) => {
      const history = await editedAuth();
      for (const name of SEARCHES) {
        expect(await history.call(name, { query: `done ${path}` })).not.toContain("Note:");
      }
    },
  );

  test.each([
    ["word", 0],
    ["word -path:src", 0],
    ["project:all", 0],
    ["word (tool:edit path:src)", 1],
    ["path:src OR path:test", 1],
  ])("is said where a path is asked for: %s", (query, lines) => {
    expect(pathNotes(parseQuery(query).root)).toHaveLength(lines);
  });
});
