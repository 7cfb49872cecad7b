import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { createHistory } from "../src/history.ts";
import { systemClock } from "../src/runtime/clock.ts";
import { buildConversation, buildSession } from "./support/builders.ts";
import { FakeHost, FakeStore } from "./support/fake-host.ts";
import { createRecordingLogger } from "./support/recording-logger.ts";
import { buildCall } from "./support/tools.ts";

const root = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "archive-trouble-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

test("answers tell that the archive of their own directory cannot be written, while it cannot", async () => {
  const folder = root();
  const [app, other] = [join(folder, "app"), join(folder, "other")];
  const store = new FakeStore();
  for (const [id, directory] of [
    ["ses_1", app],
    ["ses_2", app],
    ["ses_3", other],
  ] as const) {
    store.putSession(buildSession({ id, directory }), buildConversation(id, 2, { text: () => "lighthouse" }));
  }
  for (const directory of [app, other]) mkdirSync(directory);
  writeFileSync(join(app, ".opencode"), "mine");

  const log = createRecordingLogger();
  const history = createHistory(systemClock);
  const [inApp, inOther] = [app, other].map((directory) => {
    const host = new FakeHost({ log, source: "v2", location: { directory, worktree: directory } }, store);
    const instance = history.start(host, { indexDirectory: join(folder, "index") });
    onTestFinished(() => instance.dispose());
    const tool = instance.tools.find(({ name }) => name === "history-search-messages");
    return () => tool?.execute({ query: "lighthouse" }, buildCall({ directory }));
  });

  const trouble = `Trouble: The archive cannot be written: a file stands at ${join(app, ".opencode")}, where a folder should be; move the file away.`;
  await expect.poll(() => inApp?.(), { timeout: 20_000 }).toContain(trouble);
  expect(await inOther?.()).not.toContain("Trouble:");
  rmSync(join(app, ".opencode"));
  await expect.poll(() => inApp?.(), { timeout: 20_000 }).not.toContain("Trouble:");
  expect(log.lines.filter(({ level }) => level === "warn").length).toBe(1);
});
