/**
 * App: the composition root. It holds the one thing that a process shares: hosts call the plugin once for each
 * directory, and two installed copies of it do not share modules.
 */

import type { StartInstance } from "./host/host.ts";
import { createHistory, type History } from "./history.ts";
import { systemClock } from "./runtime/clock.ts";

/** What stands on the global object, for every copy of this plugin in the process. */
interface ProcessRegistry {
  history?: History;
}

const REGISTRY = Symbol.for("opencode-history");

function processRegistry(): ProcessRegistry {
  const scope: typeof globalThis & { [REGISTRY]?: ProcessRegistry } = globalThis;
  scope[REGISTRY] ??= {};
  return scope[REGISTRY];
}

/** Starts the plugin for one directory. Returns within milliseconds, without calling the host. */
export const startInstance: StartInstance = (host, options) => {
  const registry = processRegistry();
  registry.history ??= createHistory(systemClock);
  return registry.history.start(host, options);
};
