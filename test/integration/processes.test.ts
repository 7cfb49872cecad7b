import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Conversation, converse } from "../support/conversation.ts";
import { findable, lookUpUntil } from "../support/look-up.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import type { RealHost } from "../support/real-host.ts";
import { createSandbox } from "../support/sandbox.ts";
import type { Sandbox } from "../support/sandbox.ts";

/** A guard, not a measure: two hosts at once on a busy machine. */
const TIMEOUT_MS = 300_000;

let sandbox: Sandbox;
let first: RealHost;
let second: RealHost;
let here: Conversation;
let there: Conversation;

beforeAll(async () => {
  sandbox = await createSandbox();
  sandbox.configure({ plugins: [pluginUnderTest(sandbox.root)], config: { snapshot: false } });
  first = await sandbox.serve(sandbox.project("first"));
  second = await sandbox.serve(sandbox.project("second"));
  here = converse(first, sandbox.provider);
  there = converse(second, sandbox.provider);
}, TIMEOUT_MS);

afterAll(async () => {
  await sandbox.dispose();
});

describe("two OpenCode processes on one data folder", () => {
  it(
    "find each other's sessions, and do not find what the other deleted",
    async () => {
      const a = await here.say("A tale of albatrosses", [{ text: "They glide." }]);
      const b = await there.say("A tale of barnacles", [{ text: "They cling." }]);
      expect(await findable(there, a.sessionId, "albatrosses project:all")).toContain("A tale of albatrosses");
      expect(await findable(here, b.sessionId, "barnacles project:all")).toContain("A tale of barnacles");
      await here.remove(a.sessionId);
      const gone = (answer: string) => !answer.includes(a.sessionId);
      await lookUpUntil(there, "history-search-messages", { query: "albatrosses project:all" }, gone);
    },
    TIMEOUT_MS,
  );

  it(
    "lose nothing when one of them is killed in the middle",
    async () => {
      const { sessionId: earlier } = await there.say("A tale of dormice", [{ text: "They sleep." }]);
      const { sessionId } = await here.say("A tale of cormorants", [{ text: "They dive." }]);
      await first.stop("SIGKILL");
      await findable(there, earlier, "dormice");
      const revived = await sandbox.serve(first.directory);
      await findable(converse(revived, sandbox.provider), sessionId, "cormorants");
      await findable(there, sessionId, "cormorants project:all");
      for (const host of [revived, second]) expect(host.stderr()).toBe("");
    },
    TIMEOUT_MS,
  );
});
