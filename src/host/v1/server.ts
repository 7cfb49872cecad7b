/** Server: the plugin function that OpenCode 1.18 calls once for each directory it opens. */

import { messageOf } from "../../runtime/error-message.ts";
import type { Hooks, PluginOptions } from "@opencode-ai/plugin";

import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { nameOf } from "../fields.ts";
import type { HostEvent, HostInstance, StartInstance } from "../host.ts";
import { startSafely } from "../start-instance.ts";
import { toHostEvent } from "./events.ts";
import { createV1Host } from "./host.ts";
import type { V1Input } from "./host.ts";
import { toolDefinitions } from "./tools.ts";

export type V1Server = (input: V1Input, options?: PluginOptions) => Promise<Hooks>;

/**
 * Makes the `server` function of the plugin. It resolves at once, always to an object: anything else breaks every
 * prompt of that directory. When starting fails, the tools exist and answer why.
 */
export function serveV1(start: StartInstance, clock: Clock): V1Server {
  return async (input, options) => {
    const host = createV1Host(input);
    const instance = startSafely(() => start(host, options ?? {}), host.log);
    return hooksOf(instance, host.log, clock, toolDefinitions(instance.tools, host.location));
  };
}

function hooksOf(instance: HostInstance, log: Logger, clock: Clock, tool: NonNullable<Hooks["tool"]>): Hooks {
  let disposed: Promise<void> | null = null;
  const deliver = (event: HostEvent | null) => {
    if (event === null || disposed !== null) return;
    try {
      instance.onEvent(event);
    } catch (error) {
      log.error("an event could not be taken", { event: event.type, error: messageOf(error) });
    }
  };
  return {
    tool,
    config: async (config) => {
      for (const { name, description, template } of instance.commands) {
        config.command = { [name]: { description, template }, ...config.command };
      }
    },
    event: async ({ event }) => deliver(toHostEvent(event, clock.now())),
    "tool.execute.after": async ({ sessionID }) => {
      const sessionId = nameOf(sessionID);
      if (sessionId !== null) deliver({ type: "tool-finished", sessionId, messageId: null });
    },
    // The host waits for this at the end of `opencode run`, and calls of its client still work meanwhile.
    dispose: async () => {
      disposed ??= end(instance, log);
      await disposed;
    },
  };
}

async function end(instance: HostInstance, log: Logger): Promise<void> {
  try {
    await instance.dispose();
  } catch (error) {
    log.error("could not end cleanly", { error: messageOf(error) });
  }
}
