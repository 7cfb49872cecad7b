import { describe, expect, it } from "vitest";
import { z } from "zod";

import { HISTORY_TOOLS } from "../../src/session/session.ts";
import { createTools } from "../../src/tools/tools.ts";
import { buildCall, setUpTools } from "../support/tools.ts";

const ROLE = /^history-[\w-]+: role was "system": use "user" or "assistant"\.$/u;

describe("arguments that are refused, with the field, what was given and what is accepted", () => {
  it.each<[string, unknown, RegExp]>([
    ["history-search-messages", {}, /query is missing: use at least one word/u],
    ["history-search-messages", { query: null }, /query is missing/u],
    ["history-search-messages", { query: 5 }, /query was 5: use /u],
    [
      "history-search-messages",
      { query: "x", limit: 0 },
      /limit was 0: use a whole number from 1 to 50; without it 50\.$/u,
    ],
    ["history-search-messages", { query: "x", limit: 1.5 }, /limit was 1\.5: use a whole number/u],
    ["history-search-messages", { query: "x", limit: -3 }, /limit was -3/u],
    ["history-search-messages", { query: "x", limit: "many" }, /limit was "many"/u],
    ["history-search-messages", { query: "x", limit: "1.5" }, /limit was "1\.5"/u],
    ["history-search-messages", { query: "x", limit: Number.NaN }, /limit was NaN/u],
    ["history-search-messages", { query: "x", role: "system" }, ROLE],
    ["history-search-messages", { query: "x", date: "last fortnight" }, /date: .*"last fortnight".*last N days/u],
    ["history-search-messages", { query: "x", date: "2026-07-29 to 2026-07-01" }, /date: .*2026-07-01/u],
    ["history-search-messages", { query: "x", since: "today" }, /"since".*takes: query, role, date, limit\.$/u],
    ["history-search-messages", { query: "x", ["__proto__x"]: 1 }, /Unknown argument "__proto__x"/u],
    ["history-search-messages", ["x"], /The arguments were \["x"\]: use a JSON object/u],
    ["history-search-messages", "x", /The arguments were "x"/u],
    ["history-search-sessions", { role: "system" }, ROLE],
    ["history-search-sessions", { show: "files" }, /show was "files": use "sessions" or "projects"\.$/u],
    ["history-search-sessions", { limit: 0 }, /limit was 0: use a whole number from 1 to 50; without it 20\.$/u],
    ["history-search-edits", { role: "system" }, ROLE],
    ["history-search-edits", { path: "a.ts" }, /Unknown argument "path"/u],
    ["history-search-edits", { query: "x".repeat(500), limit: { n: 1 } }, /limit was \{"n":1\}/u],
    ["history-read", { role: "system" }, ROLE],
    ["history-read", { limit: 101 }, /limit was 101: use a whole number from 1 to 100/u],
    ["history-read", { limit: 0 }, /limit was 0/u],
    ["history-read", { messageID: "msg_1", before: 51 }, /before was 51: use a whole number from 0 to 50/u],
    ["history-read", { messageID: "msg_1", after: -1 }, /after was -1/u],
    ["history-read", { maxCharsPerMessage: 99 }, /maxCharsPerMessage was 99: use a whole number from 100 to 20000/u],
    ["history-read", { maxCharsPerMessage: 20_001 }, /maxCharsPerMessage was 20001/u],
    ["history-read", { includeToolResults: "yes" }, /includeToolResults was "yes": use true or false/u],
    ["history-read", { sessionId: "ses_1" }, /Unknown argument "sessionId".*takes: sessionID, messageID/u],
    ["history-read", { before: 3 }, /before needs a messageID/u],
    ["history-read", { after: 3, cursor: "msg_1" }, /after needs a messageID/u],
    [
      "history-read",
      { messageID: "msg_1", cursor: "msg_1" },
      /cursor and messageID do not go together.*drop messageID/u,
    ],
    ["history-read", { messageID: "msg_1", limit: 5 }, /limit and messageID do not go together/u],
  ])("%s %j", async (name, given, message) => {
    const { run, requests } = setUpTools();
    await expect(run(name, given)).rejects.toThrow(message);
    expect(requests).toEqual([]);
  });

  it.each([
    ["nothing", ""],
    ["an exclusion", "-docker"],
    ["a file", "path:src/auth.ts"],
    ["a project", "project:all"],
    ["qualifiers", "tool:bash is:subagent -x"],
    ["exclusions in a group", "-(login OR title:token)"],
  ])("history-search-messages with %s alone names the tools that take it", async (_what, query) => {
    const { run } = setUpTools();
    await expect(run("history-search-messages", { query })).rejects.toThrow(
      /needs a word or a "phrase".*history-search-sessions.*history-search-edits/u,
    );
  });

  it("a value nested deeper than the stack is named by its kind", async () => {
    const query: unknown = JSON.parse(`${"[".repeat(60_000)}${"]".repeat(60_000)}`);
    await expect(setUpTools().run("history-search-messages", { query })).rejects.toThrow(/query was object: use at/u);
  });
});

describe("arguments that are taken", () => {
  const standard = { role: null, date: null };
  it.each([
    ["history-search-messages", { query: "x" }, "messages", { ...standard, limit: 50 }],
    ["history-search-messages", { query: "x OR -y", limit: 7 }, "messages", { limit: 7 }],
    ["history-search-messages", { query: "x", role: "user" }, "messages", { role: "user" }],
    ["history-search-messages", { query: "title:x" }, "messages", standard],
    ["history-search-messages", { query: "path:a (tool:bash OR x)" }, "messages", standard],
    [
      "history-search-messages",
      { query: "x", role: null, date: "", limit: "12" },
      "messages",
      { ...standard, limit: 12 },
    ],
    ["history-search-sessions", undefined, "sessions", { ...standard, limit: 20 }],
    ["history-search-sessions", { query: "-x", limit: 80 }, "sessions", { limit: 50 }],
    ["history-search-sessions", { show: "projects" }, "projects", { limit: 100 }],
    ["history-search-sessions", { show: "projects", limit: 101 }, "projects", { limit: 100 }],
    ["history-search-edits", {}, "edits", { ...standard, limit: 50 }],
    ["history-search-edits", { query: "path:a.ts", limit: 1 }, "edits", { limit: 1 }],
  ] as const)("%s %j", async (name, given, kind, expected) => {
    const { run, requests } = setUpTools();
    await run(name, given);
    expect(requests).toMatchObject([{ kind, request: expected }]);
  });

  it("a limit above the cap is lowered, and that is said", async () => {
    const { run } = setUpTools();
    expect(await run("history-search-messages", { query: "x", limit: 500 })).toContain(
      "Note: limit was lowered from 500 to 50, the most this tool gives.",
    );
  });

  it("a date is a range of local days", async () => {
    const { run, requests } = setUpTools({ now: new Date(2026, 11, 1, 12).getTime() });
    await run("history-search-edits", { date: "yesterday" });
    expect(requests[0]?.request.date).toEqual({
      from: new Date(2026, 10, 30).getTime(),
      to: new Date(2026, 11, 1).getTime(),
    });
  });

  it("the asking session and its turn go with the search", async () => {
    const { run, requests } = setUpTools();
    const call = buildCall({ sessionId: "", projectId: null, directory: "/w/x", turnStartedAt: 5 });
    await run("history-search-edits", {}, call);
    expect(requests[0]?.request.asker).toEqual({
      sessionId: null,
      projectId: null,
      directory: "/w/x",
      turnStartedAt: 5,
    });
  });
});

describe("what the host shows to the model", () => {
  const tools = createTools(setUpTools().options);
  const schemaOf = (name: string): unknown =>
    z.toJSONSchema(z.object(tools.find((tool) => tool.name === name)?.args ?? {}));

  it.each(tools.map((tool) => [tool.name, tool] as const))("%s teaches all its arguments", (_name, tool) => {
    // Hosts may drop what arguments say of themselves: the description must name each of them.
    for (const name of Object.keys(tool.args)) expect(tool.description).toMatch(new RegExp(`\\b${name}\\b`, "u"));
    expect(tool.description.length).toBeLessThan(2_600);
    for (const property of Object.values(tool.args)) expect(property).toHaveProperty("description", expect.any(String));
  });

  it("is a schema with types and ranges", () => {
    expect(schemaOf("history-search-messages")).toMatchObject({
      type: "object",
      required: ["query"],
      properties: { query: { type: "string" }, role: { enum: ["user", "assistant"] }, limit: { type: "integer" } },
    });
    expect(schemaOf("history-search-sessions")).not.toHaveProperty("required");
    expect(schemaOf("history-read")).toMatchObject({
      properties: {
        before: { type: "integer", minimum: 0, maximum: 50 },
        limit: { type: "integer", minimum: 1, maximum: 100 },
        includeToolResults: { type: "boolean" },
      },
    });
  });

  it("names the four history tools, which are never indexed", () => {
    expect(tools.map((tool) => tool.name)).toEqual(HISTORY_TOOLS);
  });
});
