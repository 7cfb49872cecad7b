/** Stage of the fake OpenCode 2.x: the whole product from its sources, in this process. */

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createHistory } from "../../src/history.ts";
import { setupV2 } from "../../src/host/v2/setup.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { type FakeOpenCode2, startFakeOpenCode2 } from "../support/fake-opencode-2/fake-opencode-2.ts";
import { createRecordingLogger } from "../support/recording-logger.ts";
import type { Stage } from "./scenario.ts";

export interface Fake2Stage extends Stage {
  readonly fake: FakeOpenCode2;
}

/** @param registered whether its service is registered from the start */
export async function createFake2Stage({ registered = true } = {}): Promise<Fake2Stage> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "fake-2-stage-")));
  const fake = await startFakeOpenCode2({ root, registered });
  const location = await fake.project("shop");
  const history = createHistory(systemClock);
  const setup = setupV2(
    (host, options) => history.start(host, options),
    systemClock,
    () => ({
      log: createRecordingLogger(),
      fetch: (url, init) => fetch(url, init),
      pid: process.pid,
      stateFolder: fake.stateFolder,
      workingDirectory: root,
      registry: {},
      isAlive: () => true,
    }),
  );
  const cleanup = setup(fake.context(location, { indexDirectory: join(root, "index") }));
  return {
    fake,
    name: "the fake OpenCode 2.x",
    conversation: fake.conversation(location),
    directory: location.directory,
    script: (prompt, steps) => fake.script(prompt, steps),
    async dispose() {
      await cleanup?.();
      await fake.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
