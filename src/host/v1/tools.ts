/** Tools: the product's tools as OpenCode 1.18 takes them. The host neither checks nor completes the arguments. */

import type { ToolContext, ToolDefinition } from "@opencode-ai/plugin";

import { fieldsOf, listOf, nameOf, timeOf } from "../fields.ts";
import type { HostLocation, HostTool, ToolCall } from "../host.ts";

/**
 * Wraps tools for the `tool` hook. What `execute` rejects with reaches the model as its message alone.
 */
export function toolDefinitions(tools: readonly HostTool[], location: HostLocation): Record<string, ToolDefinition> {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      {
        description: tool.description,
        args: tool.args,
        execute: async (args: unknown, context: ToolContext) => tool.execute(args, toolCall(context, location)),
      },
    ]),
  );
}

function toolCall(context: ToolContext, location: HostLocation): ToolCall {
  const fields = fieldsOf(context);
  return {
    sessionId: nameOf(fields["sessionID"]) ?? "",
    messageId: nameOf(fields["messageID"]),
    directory: nameOf(fields["directory"]) ?? location.directory,
    projectId: location.projectId,
    signal: fields["abort"] instanceof AbortSignal ? fields["abort"] : new AbortController().signal,
    turnStartedAt: turnStart(fields["messages"]),
  };
}

/** `messages` is the whole conversation as `{info, parts}`; the host passes it, though its types do not tell. */
function turnStart(messages: unknown): number | null {
  const infos = listOf(messages).map((message) => fieldsOf(fieldsOf(message)["info"]));
  const prompt = infos.findLast((info) => info["role"] === "user");
  return timeOf(fieldsOf(prompt?.["time"])["created"]);
}
