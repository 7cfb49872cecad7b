/**
 * A process that archives without pause until it is killed: turns grow, sessions begin, titles change. Tells its parent
 * what it knows to be written.
 *
 * Arguments: root of the worktree, session id, number of the first message.
 */

import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { createArchive } from "../../src/archive/archive.ts";
import { createMasker } from "../../src/redact/mask.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { buildSession } from "../support/builders.ts";
import { update } from "./harness.ts";
import { grownMessage } from "./kill-world.ts";

const [root = "", sessionId = "", first = "0"] = process.argv.slice(2);

const archive = createArchive({
  place: { root, folder: join(root, ".opencode", "sessions") },
  clock: systemClock,
  log: silentLogger,
  masker: createMasker(),
  isWorktree: true,
  gitignore: true,
  attachments: "reference",
  configured: false,
  hostConfig: null,
});

for (let number = Number(first); ; number += 1) {
  const session = buildSession({ id: sessionId, directory: root, title: `At message ${number}` });
  await update(archive, session, [grownMessage(number)]);
  // Half of the writes come when the schedule says so, half at once.
  if (number % 2 === 0) await archive.flush(sessionId);
  else await delay(number % 20);
  process.send?.({ written: number % 2 === 0 ? number : number - 1 });
}
