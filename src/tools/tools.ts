/** Tools: the four history tools, as a host registers them. */

import type { HostTool } from "../host/host.ts";
import { readTool } from "./read.ts";
import { searchEditsTool } from "./search-edits.ts";
import { searchMessagesTool } from "./search-messages.ts";
import { searchSessionsTool } from "./search-sessions.ts";
import type { ToolsOptions } from "./tool.ts";

export type { ToolsOptions } from "./tool.ts";

export function createTools(options: ToolsOptions): readonly HostTool[] {
  return [searchMessagesTool(options), searchSessionsTool(options), searchEditsTool(options), readTool(options)];
}
