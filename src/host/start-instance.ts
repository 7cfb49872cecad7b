/** Starting an instance so that a failure reaches nobody but the log, and the model that calls a tool. */

import { messageOf } from "../runtime/error-message.ts";
import type { Logger } from "../runtime/logger.ts";
import { HISTORY_TOOLS } from "../session/session.ts";
import type { HostInstance, HostTool } from "./host.ts";

/** Starts an instance; when that fails, its tools exist and answer why. Never throws. */
export function startSafely(start: () => HostInstance, log: Logger): HostInstance {
  try {
    return start();
  } catch (error) {
    log.error("could not start", { error: messageOf(error) });
    return brokenInstance(messageOf(error));
  }
}

function brokenInstance(reason: string): HostInstance {
  const tools = HISTORY_TOOLS.map((name): HostTool => ({
    name,
    description: "Searches past sessions. Out of order in this session: a call only says why.",
    args: {},
    execute: async () => {
      throw new Error(`The history of past sessions is not available: ${reason}`);
    },
  }));
  return { tools, commands: [], onEvent() {}, dispose: async () => {} };
}
