import { type ChildProcess, fork } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

import { buildSession } from "../support/builders.ts";
import { type BundledProcess, bundleProcess } from "../support/bundled-process.ts";
import { isFullSize } from "../support/test-size.ts";
import { fullPass, Harness } from "./harness.ts";
import { grownMessage } from "./kill-world.ts";

const KILLS = isFullSize() ? 200 : 10;
const TIMEOUT_MS = 60_000 + KILLS * 5000;

let killable: BundledProcess;
let creator: BundledProcess;
beforeAll(async () => {
  killable = await bundleProcess(join(import.meta.dirname, "kill-process.ts"));
  creator = await bundleProcess(join(import.meta.dirname, "create-process.ts"));
}, 60_000);
afterAll(() => {
  killable.remove();
  creator.remove();
});

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.make();
});
afterEach(() => harness.dispose());

interface Victim {
  /** Number of the last message that is known to be on disk. */
  written(): number;
  kill(): Promise<void>;
}

function start(sessionId: string, first: number): Victim {
  const child: ChildProcess = fork(killable.path, [harness.root, sessionId, String(first)], { stdio: "ignore" });
  let written = first - 1;
  child.on("message", (message: { written: number }) => {
    written = Math.max(written, message.written);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  return {
    written: () => written,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test(
  `a process that is killed ${KILLS} times leaves whole files, and what was written stays written`,
  async () => {
    let next = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = start("ses_1", next);
      while (victim.written() < next) await delay(5);
      await delay((kill * 71) % 250);
      await victim.kill();

      // Every file parses, whenever the process died.
      const names = (await readdir(harness.folder)).filter((name) => name.endsWith(".json"));
      for (const name of names) JSON.parse(await readFile(join(harness.folder, name), "utf8"));
      const ids = new Set((await harness.json("ses_1.json")).turns.map(({ messageId }) => messageId));
      const missing = Array.from({ length: victim.written() }, (_, number) => grownMessage(number).id).filter(
        (id) => !ids.has(id),
      );
      expect(missing).toEqual([]);
      next = victim.written() + 1;
    }

    // The next start finds the session unfinished, and completes it.
    const archive = harness.open();
    const session = buildSession({ id: "ses_1", directory: harness.root });
    expect(await archive.outdated([session])).toEqual(new Set(["ses_1"]));
    const messages = Array.from({ length: next + 1 }, (_, number) => grownMessage(number));
    await fullPass(archive, session, messages);
    await archive.flush();
    expect((await harness.json("ses_1.json")).turns.length).toBe(messages.length);
    expect(await harness.names()).toEqual([".gitignore", ".ignore", "index.json", "ses_1.json"]);
  },
  TIMEOUT_MS,
);

test(
  "three processes that create 20 sessions at once leave a list of 20 (case 46)",
  async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `ses_${index}`);
    await Promise.all(
      [0, 1, 2].map(async (part) => {
        const own = ids.filter((_, index) => index % 3 === part);
        const child = fork(creator.path, [harness.root, ...own], { stdio: "ignore" });
        await new Promise<void>((resolve, reject) => {
          child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`The process ended with ${code}.`))));
        });
      }),
    );
    expect((await harness.list()).map(({ id }) => id).sort()).toEqual(ids.sort());
  },
  TIMEOUT_MS,
);
