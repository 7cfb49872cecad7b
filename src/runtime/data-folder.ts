/** Data folder: where OpenCode keeps its data, the same rule on every platform. */

import { homedir } from "node:os";
import { join } from "node:path";

/**
 * `$XDG_DATA_HOME/opencode`, else `~/.local/share/opencode`; an empty variable counts as unset. Source: OpenCode's
 * `packages/util/src/global-roots.ts`, and `opencode debug paths` on 1.18.
 */
export function dataFolder(env: NodeJS.ProcessEnv = process.env, home: string = homedir()): string {
  const base = env["XDG_DATA_HOME"];
  return join(base === undefined || base === "" ? join(home, ".local", "share") : base, "opencode");
}
