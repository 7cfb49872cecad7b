import { describe, expect, test } from "vitest";

import { fileEdits, isHistoryCall, toolNames } from "../../src/session/file-edits.ts";
import { HISTORY_TOOLS } from "../../src/session/session.ts";
import { assistantMessage, buildSession, BUILT_AT, patchPart, toolPart } from "../support/builders.ts";

const SESSION = buildSession({ directory: "/w/app" });

const PATCH = `*** Begin Patch
*** Update File: src/a.ts
*** Move to: src/b.ts
@@
-x
+*** Update File: quoted.ts
*** Add File: /w/app/new.ts
+hello
*** Delete File: old.ts\r
*** End Patch`;

describe("the files of a completed edit call", () => {
  test.each([
    ["write", { filePath: "/w/app/a.ts", content: "x" }, ["/w/app/a.ts"]],
    ["write", { path: "a.ts", content: "x" }, ["/w/app/a.ts"]],
    ["edit", { filePath: "./src/../a.ts" }, ["/w/app/a.ts"]],
    ["edit", { file_path: "a.ts" }, ["/w/app/a.ts"]],
    ["edit", { file: "a.ts" }, ["/w/app/a.ts"]],
    ["edit", { filePath: "", path: "b.ts" }, ["/w/app/b.ts"]],
    ["multiedit", { filePath: "a.ts", edits: [{ oldString: "x", newString: "y" }] }, ["/w/app/a.ts"]],
    ["multiedit", { edits: [{ filePath: "a.ts" }, { path: "b.ts" }, null, "c"] }, ["/w/app/a.ts", "/w/app/b.ts"]],
    ["apply_patch", { patchText: PATCH }, ["/w/app/src/a.ts", "/w/app/src/b.ts", "/w/app/new.ts", "/w/app/old.ts"]],
    ["patch", { patch: PATCH.slice(0, 50) }, ["/w/app/src/a.ts"]],
    ["apply_patch", { patchText: 7 }, []],
    ["edit", {}, []],
    ["edit", { filePath: ["a.ts"] }, []],
    ["read", { filePath: "a.ts" }, []],
    ["bash", { command: "sed -i s/x/y/ a.ts" }, []],
  ])("%s %j", (tool, input, paths) => {
    const message = assistantMessage("msg_1", [toolPart(tool, input)]);
    expect(fileEdits(message, SESSION).map((edit) => edit.path)).toEqual(paths);
  });

  test.each(["pending", "running", "error"] as const)("none when the call is %s", (status) => {
    const message = assistantMessage("msg_1", [toolPart("write", { filePath: "a.ts" }, { status })]);
    expect(fileEdits(message, SESSION)).toEqual([]);
  });

  test("on Windows they are written with forward slashes and an upper-case drive letter", () => {
    const message = assistantMessage("msg_1", [
      toolPart("edit", { filePath: "src\\a.ts" }),
      patchPart(["e:\\w\\b.ts"]),
    ]);
    const session = buildSession({ directory: "e:\\w" });
    expect(fileEdits(message, session).map((edit) => edit.path)).toEqual(["E:/w/src/a.ts", "E:/w/b.ts"]);
  });
});

test("each path stands once, and the tool call wins over the snapshot", () => {
  const message = assistantMessage(
    "msg_1",
    [
      patchPart(["/w/app/a.ts", "/w/app/b.ts", "/w/app/b.ts"]),
      toolPart("write", { filePath: "/w/app/a.ts" }, { endedAt: BUILT_AT + 1 }),
      toolPart("edit", { filePath: "a.ts" }, { endedAt: BUILT_AT + 2 }),
    ],
    { completedAt: BUILT_AT + 9 },
  );
  expect(fileEdits(message, SESSION)).toEqual([
    { path: "/w/app/a.ts", tool: "write", time: BUILT_AT + 1 },
    { path: "/w/app/b.ts", tool: "snapshot", time: BUILT_AT + 9 },
  ]);
});

test.each([
  [{ endedAt: 5, startedAt: 4 }, 3, 5],
  [{ endedAt: null, startedAt: 4 }, 3, 4],
  [{ endedAt: null, startedAt: null }, 3, 3],
  [{ endedAt: null, startedAt: null }, null, 2],
])("an edit's time is the end of its call, or the next best known (%j, %j: %j)", (times, completedAt, time) => {
  const call = toolPart("write", { filePath: "a.ts" }, times);
  const message = assistantMessage("msg_1", [call], { createdAt: 2, completedAt });
  expect(fileEdits(message, SESSION)).toMatchObject([{ time }]);
});

describe("tool names", () => {
  test("are those called, each once, failed calls too, without the history tools", () => {
    const message = assistantMessage("msg_1", [
      toolPart("bash", {}),
      "words",
      toolPart("edit", {}, { status: "error", error: "no" }),
      toolPart("bash", {}),
      ...HISTORY_TOOLS.map((tool) => toolPart(tool, {})),
    ]);
    expect(toolNames(message)).toEqual(["bash", "edit"]);
  });

  test.each([
    [toolPart("history-read", {}), true],
    [toolPart("invalid", { tool: "history-search-messages", error: "not JSON" }), true],
    [toolPart("invalid", { tool: "nonesuch" }), false],
    [toolPart("bash", { tool: "history-read" }), false],
  ])("%j is a history call: %j", (part, expected) => {
    expect(isHistoryCall(part)).toBe(expected);
  });
});
