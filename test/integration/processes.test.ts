import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { converse } from "../support/conversation.ts";
import { findable, lookUp, lookUpUntil } from "../support/look-up.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import { createSandbox } from "../support/sandbox.ts";
import type { Sandbox } from "../support/sandbox.ts";

/** A guard, not a measure: two hosts at once on a busy machine. */
const TIMEOUT_MS = 300_000;

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox();
  sandbox.configure({ plugins: [pluginUnderTest(sandbox.root)] });
});

afterAll(async () => {
  await sandbox.dispose();
});

describe("two OpenCode processes on one data folder", () => {
  it(
    "find each other's sessions, and do not find what the other deleted",
    async () => {
      const first = await sandbox.serve(sandbox.project("first"));
      const second = await sandbox.serve(sandbox.project("second"));
      const here = converse(first, sandbox.provider);
      const there = converse(second, sandbox.provider);
      const a = await here.say("A tale of albatrosses", [{ text: "They glide." }]);
      const b = await there.say("A tale of barnacles", [{ text: "They cling." }]);
      expect(await findable(there, a.sessionId, "albatrosses project:all")).toContain("A tale of albatrosses");
      expect(await findable(here, b.sessionId, "barnacles project:all")).toContain("A tale of barnacles");
      await here.remove(a.sessionId);
      const gone = (answer: string) => !answer.includes(a.sessionId);
      await lookUpUntil(there, "history-search-messages", { query: "albatrosses project:all" }, gone);
      await Promise.all([first.stop(), second.stop()]);
    },
    TIMEOUT_MS,
  );

  it(
    "lose nothing when one of them is killed in the middle",
    async () => {
      const directory = sandbox.project("third");
      const victim = await sandbox.serve(directory);
      const witness = await sandbox.serve(sandbox.project("fourth"));
      const doomed = converse(victim, sandbox.provider);
      const { sessionId } = await doomed.say("A tale of cormorants", [{ text: "They dive." }]);
      await victim.stop("SIGKILL");
      const there = converse(witness, sandbox.provider);
      expect(await lookUp(there, "history-search-messages", { query: "barnacles project:all" })).toContain("barnacles");
      const revived = await sandbox.serve(directory);
      await findable(converse(revived, sandbox.provider), sessionId, "cormorants");
      await findable(there, sessionId, "cormorants project:all");
      for (const host of [revived, witness]) expect(host.stderr()).toBe("");
    },
    TIMEOUT_MS,
  );
});
