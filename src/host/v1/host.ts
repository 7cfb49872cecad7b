/** Host: the port over the client that OpenCode 1.18 hands to plugins. */

import { dirname } from "node:path";

import type { PluginInput } from "@opencode-ai/plugin";

import type { Logger } from "../../runtime/logger.ts";
import { fieldsOf, nameOf, textOf } from "../fields.ts";
import type { Host, HostLocation } from "../host.ts";
import { createLog } from "./log.ts";
import { createRawClient } from "./raw-client.ts";
import { createReader } from "./reader.ts";

/** What we take of a plugin's input; `serverUrl` is no part of it (see raw-client). */
export type V1Input = Pick<PluginInput, "client" | "project" | "directory" | "worktree">;

export function createV1Host(input: V1Input): Host {
  const log: Logger = createLog(input.client);
  return {
    source: "v1",
    version: null,
    location: locationOf(input),
    log,
    ...createReader(createRawClient(input.client), log),
    // The client is in-process: it is there for as long as the plugin is.
    availability: () => ({ ready: true, reason: null }),
    async toast(message) {
      try {
        await input.client.tui.showToast({ body: { message, variant: "info" } });
      } catch {
        // Only the terminal interface shows toasts.
      }
    },
  };
}

/** Outside git the host gives the root of the file system as the worktree: no place to keep anything in. */
function locationOf(input: V1Input): HostLocation {
  const worktree = nameOf(input.worktree);
  return {
    directory: textOf(input.directory) ?? "",
    worktree: worktree === null || dirname(worktree) === worktree ? null : worktree,
    projectId: nameOf(fieldsOf(input.project)["id"]),
  };
}
