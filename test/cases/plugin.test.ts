import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { createHistory } from "../../src/history.ts";
import plugin from "../../src/index.ts";
import { HISTORY_TOOLS } from "../../src/session/session.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { FakeHost } from "../support/fake-host.ts";
import { createRecordingLogger } from "../support/recording-logger.ts";

test("case 65: one object is a plugin for each generation", () => {
  expect(plugin.id).toBe("opencode-history");
  expect(Object.keys(plugin).toSorted()).toEqual(["id", "server", "setup"]);
  expect([typeof plugin.server, typeof plugin.setup]).toEqual(["function", "function"]);
});

test.each([
  ["1.18, which calls setup beside server", { client: {}, project: {}, directory: "/w", worktree: "/w" }],
  ["a host that has tools alone", { tool: { transform() {} } }],
  ["a host of other shapes", { tool: [], event: "x", session: null }],
  ["nothing", undefined],
])("case 65: setup does nothing, and throws nothing, in %s", (_what, context) => {
  expect(plugin.setup(context)).toBeUndefined();
});

test.each([
  ["the same directory twice", ["/w/app", "/w/app"], [4, 0]],
  ["two directories, one of them twice", ["/w/app", "/w/other", "/w/app"], [4, 4, 0]],
  ["three times", ["/w/app", "/w/app", "/w/app"], [4, 0, 0]],
] as const)("case 66: a second copy stays idle, and says so: %s", async (_what, directories, counts) => {
  const indexDirectory = await mkdtemp(join(tmpdir(), "history-plugin-"));
  onTestFinished(() => rm(indexDirectory, { recursive: true }));
  const log = createRecordingLogger();
  const history = createHistory(new FakeClock());
  const options = { indexDirectory, archive: false };
  const start = (directory: string) =>
    history.start(new FakeHost({ log, location: { directory, worktree: null } }), options);
  const instances = directories.map(start);
  expect(instances.map(({ tools }) => tools.length)).toEqual(counts);
  expect(instances[0]?.tools.map(({ name }) => name).toSorted()).toEqual(HISTORY_TOOLS.toSorted());
  const idle = counts.filter((count) => count === 0).length;
  expect(log.lines.filter(({ message }) => message.includes("loaded twice")).length).toBe(idle);
  for (const instance of instances.toReversed()) await instance.dispose();

  // When all have left, the directory can be opened again.
  const again = start("/w/app");
  expect(again.tools.length).toBe(4);
  await again.dispose();
});
