/**
 * Tool box: the tools of one location of a fake OpenCode 2.x, built anew from the plugins' transforms whenever one
 * comes or goes (§2.10), and run as the host runs them (§2.11-14).
 */

import { fieldsOf, isFields, nameOf } from "../../../src/host/fields.ts";
import { schemaProblems } from "./schema-check.ts";
import type { Json } from "./store.ts";

interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input: unknown;
  readonly output?: unknown;
  readonly options?: unknown;
  execute(input: unknown, context: Json): unknown;
}

export interface ToolOutcome {
  readonly status: "completed" | "error";
  readonly content: readonly Json[];
  readonly error: Json | null;
}

export type Transform = (editor: unknown) => unknown;

export interface ToolBox {
  transform(callback: Transform): Promise<{ dispose(): Promise<void> }>;
  /** Replays every transform. */
  reload(): void;
  list(): readonly ToolDefinition[];
  /** What the model is offered: without `codemode: false` a tool is reachable from programs only (§2.11). */
  offered(): readonly ToolDefinition[];
  /** Runs a call of the model. Never rejects. */
  run(name: string, input: unknown, context: Json): Promise<ToolOutcome>;
  /** What the host wrote to its log about tools it did not take. */
  readonly skipped: readonly string[];
}

/** @param early the July 2026 build: an editor that can only add, and schemas named `jsonSchema` */
export function createToolBox(options: { readonly early: boolean }): ToolBox {
  const transforms = new Set<Transform>();
  const skipped: string[] = [];
  let tools = new Map<string, ToolDefinition>();

  const build = (): void => {
    const next = new Map<string, ToolDefinition>();
    const add = (given: unknown): void => {
      const tool = readDefinition(given, options.early);
      if (typeof tool === "string") skipped.push(`Skipping invalid tool registration: ${tool}`);
      else next.set(tool.name, tool);
    };
    for (const transform of transforms) {
      const result = transform(options.early ? { add } : editorOf(next, add));
      // §2.10: the callback must be synchronous.
      if (result instanceof Promise) throw new Error("A tool transform must be synchronous.");
    }
    tools = next;
  };
  const isDirect = (tool: ToolDefinition): boolean => fieldsOf(tool.options)["codemode"] === false;

  return {
    skipped,
    async transform(callback) {
      transforms.add(callback);
      try {
        build();
      } catch (error) {
        transforms.delete(callback);
        throw error;
      }
      return {
        async dispose() {
          transforms.delete(callback);
          build();
        },
      };
    },
    reload: build,
    list: () => [...tools.values()],
    offered: () => [...tools.values()].filter(isDirect),
    async run(name, input, context) {
      const tool = tools.get(name);
      if (tool === undefined || !isDirect(tool)) return failure(`Unknown tool: ${name}`);
      const problems = schemaProblems(tool.input, input);
      // §2.11: invalid arguments never reach execute.
      if (problems.length > 0) return failure(`Invalid arguments for tool "${name}": ${problems.join("; ")}`);
      try {
        return outcomeOf(tool, await tool.execute(input, context), options.early);
      } catch (error) {
        return failure(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

function editorOf(tools: Map<string, ToolDefinition>, add: (given: unknown) => void) {
  return {
    add,
    update: (id: string, change: (tool: ToolDefinition) => ToolDefinition) => {
      const tool = tools.get(id);
      if (tool !== undefined) tools.set(id, change(tool));
    },
    remove: (id: string) => void tools.delete(id),
    get: (id: string) => tools.get(id),
    list: () => [...tools.values()],
    namespace: () => {},
  };
}

/** §2.11. @returns why it is not taken, or the tool under the id the model sees */
function readDefinition(given: unknown, early: boolean): ToolDefinition | string {
  const definition = fieldsOf(given);
  const name = nameOf(definition["name"]);
  const description = nameOf(definition["description"]);
  const input = early ? definition["jsonSchema"] : definition["input"];
  const execute = definition["execute"];
  const { namespace, codemode } = fieldsOf(definition["options"]);
  if (name === null || description === null) return "a tool has no name or no description";
  if (!isFields(input)) return `${name} has no ${early ? "jsonSchema" : "input schema"}`;
  if (typeof execute !== "function") return `${name} has no execute`;
  if (name === "execute" && codemode === false) return '"execute" is reserved for direct tools';
  const id = (typeof namespace === "string" ? `${namespace}_${name}` : name).replaceAll(/[^A-Za-z0-9_-]/gu, "_");
  return {
    name: id,
    description,
    input,
    output: definition["output"],
    options: definition["options"],
    execute: (value, context): unknown => Reflect.apply(execute, definition, [value, context]),
  };
}

function outcomeOf(tool: ToolDefinition, result: unknown, early: boolean): ToolOutcome {
  // §2.12: a bare string is no result, `output` needs an output schema.
  if (!isFields(result)) throw new Error(`Tool "${tool.name}" returned no object`);
  if ("output" in result && tool.output === undefined) {
    throw new Error(`Tool "${tool.name}" returned an output but declares no output schema`);
  }
  const { content } = result;
  if (Array.isArray(content)) {
    const parts = content.map((item) => fieldsOf(item));
    const bad = parts.find((part) => part["type"] !== "file" && typeof part["text"] !== "string");
    if (bad !== undefined) throw new Error(`Tool "${tool.name}" returned content that is neither text nor file`);
    return { status: "completed", content: parts, error: null };
  }
  if (early) throw new Error(`Tool "${tool.name}" returned content that is no list`);
  if (typeof content === "string") return completed(content);
  return completed(JSON.stringify(result["output"] ?? null));
}

function completed(text: string): ToolOutcome {
  return { status: "completed", content: [{ type: "text", text }], error: null };
}

function failure(message: string): ToolOutcome {
  return { status: "error", content: [], error: { type: "unknown", message } };
}
