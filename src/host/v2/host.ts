/** Host: OpenCode 2.x behind the host port. */

import type { Logger } from "../../runtime/logger.ts";
import type { Host, HostLocation } from "../host.ts";
import type { Context } from "./context.ts";
import { createReader } from "./reader.ts";
import type { Service } from "./service.ts";
import { createContextApi, createServiceApi } from "./session-api.ts";

/** Makes the host of one instance. Starts the search for the service where the context cannot read by itself. */
export function createV2Host(context: Context, location: HostLocation, service: Service, log: Logger): Host {
  const contextApi = createContextApi(context);
  if (contextApi === null) service.start();
  return {
    source: "v2",
    version: context.version,
    location,
    log,
    ...createReader(contextApi ?? createServiceApi(service), log),
    availability() {
      const trouble = contextApi === null ? service.trouble() : null;
      if (trouble === null) return { ready: true, reason: null };
      return { ready: false, reason: `New history is not being read. ${trouble}` };
    },
    // Plugins of 2.x have no way to show a message.
    async toast() {},
  };
}
