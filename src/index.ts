/**
 * The plugin, for every host: OpenCode 1.18.x calls `server` (and `setup` too, with a context too poor to use), 2.x
 * calls `setup` only.
 */

import { startInstance } from "./app.ts";
import { serveV1 } from "./host/v1/server.ts";
import { setupV2 } from "./host/v2/setup.ts";
import { systemClock } from "./runtime/clock.ts";

export default {
  id: "opencode-history",
  server: serveV1(startInstance, systemClock),
  setup: setupV2(startInstance, systemClock),
};
