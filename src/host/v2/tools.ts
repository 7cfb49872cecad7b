/** Tools: the product's tools as OpenCode 2.x takes them. */

import { messageOf } from "../../runtime/error-message.ts";
import { z } from "zod";

import type { Logger } from "../../runtime/logger.ts";
import { fieldsOf, nameOf } from "../fields.ts";
import type { HostLocation, HostTool, ToolCall } from "../host.ts";
import { type Context, methodOf } from "./context.ts";
import type { Turns } from "./turns.ts";

export interface ToolSurroundings {
  readonly location: HostLocation;
  readonly turns: Turns;
  readonly log: Logger;
}

/** What the host hands to the model. Lists of text parts are taken by every release, bare strings by none. */
interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
}

/**
 * Registers tools with the host. Returns at once; a failure is logged.
 * @returns a function that takes the tools away; never rejects
 */
export function registerTools(
  context: Context,
  tools: readonly HostTool[],
  surroundings: ToolSurroundings,
): () => Promise<void> {
  const definitions = tools.map((tool) => definitionOf(tool, surroundings));
  const registration = register(context, definitions, surroundings.log);
  return async () => {
    try {
      await methodOf(await registration, "dispose")?.();
    } catch (error) {
      surroundings.log.warn("The tools could not be taken away", { error: messageOf(error) });
    }
  };
}

async function register(context: Context, definitions: readonly Definition[], log: Logger): Promise<unknown> {
  // The host runs this again whenever it builds its list of tools anew.
  const transform = (editor: unknown): void => {
    const add = methodOf(editor, "add");
    // Builds before 2.0.0 have an editor that can only add, and take the schema under another name.
    const early = methodOf(editor, "list") === null;
    for (const definition of definitions) add?.(early ? { ...definition, jsonSchema: definition.input } : definition);
  };
  try {
    return await context.transformTools(transform);
  } catch (error) {
    log.error("The history tools could not be registered", { error: messageOf(error) });
    return null;
  }
}

type Definition = ReturnType<typeof definitionOf>;

function definitionOf(tool: HostTool, surroundings: ToolSurroundings) {
  return {
    name: tool.name,
    description: tool.description,
    input: inputSchema(tool.args),
    // Without this the model does not see a tool in its list: it could only call it from a program ("code mode").
    options: { codemode: false },
    async execute(input: unknown, toolContext: unknown): Promise<ToolResult> {
      try {
        return textResult(await tool.execute(input, toolCall(toolContext, surroundings)));
      } catch (error) {
        // Returned, not thrown: what a release makes of a rejection differs.
        return textResult(`Error: ${messageOf(error)}`);
      }
    },
  };
}

/** Keywords by which the host would refuse a number that the tool itself lowers, with a note, or refuses in better words. */
const BOUNDS: ReadonlySet<string> = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]);

/** JSON Schema of a tool's input, with the descriptions, which a zod schema of another copy would lose. */
export function inputSchema(args: z.ZodRawShape): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(args), {
    io: "input",
    override({ jsonSchema }) {
      for (const bound of BOUNDS) if (Object.hasOwn(jsonSchema, bound)) Reflect.deleteProperty(jsonSchema, bound);
    },
  });
  return schema;
}

function toolCall(given: unknown, { location, turns }: ToolSurroundings): ToolCall {
  const context = fieldsOf(given);
  const sessionId = nameOf(context["sessionID"]) ?? "";
  return {
    sessionId,
    messageId: nameOf(context["messageID"]),
    directory: location.directory,
    projectId: location.projectId,
    // Builds before 2.0.0 give none.
    signal: context["signal"] instanceof AbortSignal ? context["signal"] : new AbortController().signal,
    turnStartedAt: turns.startedAt(sessionId),
  };
}

function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}
