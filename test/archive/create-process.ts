/**
 * A process that creates sessions at once and ends.
 *
 * Arguments: root of the worktree, session ids.
 */

import { join } from "node:path";

import { createArchive } from "../../src/archive/archive.ts";
import { openMasker } from "../../src/redact/mask.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { buildSession } from "../support/builders.ts";

const [root = "", ...ids] = process.argv.slice(2);

const archive = createArchive({
  place: { root, folder: join(root, ".opencode", "sessions") },
  clock: systemClock,
  log: silentLogger,
  masker: openMasker,
  isWorktree: true,
  gitignore: true,
  attachments: "reference",
  configured: false,
  hostConfig: null,
});

for (const id of ids) {
  archive.onEvent({ type: "session-created", sessionId: id, session: buildSession({ id, directory: root }) });
}
await archive.dispose();
process.disconnect();
