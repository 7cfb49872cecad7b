/**
 * Scripted provider: a model provider on loopback that speaks OpenAI's chat completions and answers by script, so that
 * a real OpenCode holds real conversations without a model. It keeps every request: what a tool answered is what
 * arrived here.
 */

import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import { fieldsOf, listOf, textOf } from "../../src/host/fields.ts";
import { streamStep } from "./completion-stream.ts";
import type { Step } from "./step.ts";

export interface ToolResult {
  readonly tool: string;
  readonly callId: string;
  readonly text: string;
}

/** A request as it arrived at the model. */
export interface ModelRequest {
  /** The last user message. */
  readonly prompt: string;
  /** Results of tool calls since that message, in order. */
  readonly toolResults: readonly ToolResult[];
  /** How many times the model answered since that message. */
  readonly step: number;
  readonly isTitle: boolean;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: unknown }[];
  readonly messages: readonly unknown[];
}

export interface ScriptedProvider {
  /** Base URL for the host's configuration. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Answers every turn whose user message contains `prompt` with these steps, one a request. */
  script(prompt: string, steps: readonly Step[]): void;
  /** Every tool result that arrived in turns whose user message contains `prompt`. */
  toolResults(prompt: string): readonly ToolResult[];
  close(): Promise<void>;
}

/** @throws when loopback offers no port */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const scripts = new Map<string, readonly Step[]>();
  const requests: ModelRequest[] = [];

  const nextStep = (request: ModelRequest): Step => {
    const words = request.prompt.replaceAll(/\s+/gu, " ").trim().slice(0, 40);
    if (request.isTitle) return { text: `Title: ${words}` };
    const steps = [...scripts].findLast(([prompt]) => holds(request.prompt, prompt))?.[1];
    return steps === undefined ? { text: `ok: ${words}` } : (steps[request.step] ?? { text: "(the script has ended)" });
  };

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await readJson(incoming);
    const request = toModelRequest(body);
    requests.push(request);
    const step = nextStep(request);
    if (step.delayMs !== undefined) await delay(step.delayMs);
    await streamStep(outgoing, step, requests.length);
  };

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      // The host hung up, or sent no JSON; either way there is nobody to tell but the other side.
      outgoing.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(new Error(`No port on 127.0.0.1 for the scripted model: ${error.message}`, { cause: error }));
    });
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    script: (prompt, steps) => {
      scripts.delete(prompt);
      scripts.set(prompt, steps);
    },
    toolResults: (prompt) => {
      const results = requests.filter((request) => holds(request.prompt, prompt)).flatMap((r) => r.toolResults);
      return [...new Map(results.map((result) => [result.callId, result])).values()];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}

/** `opencode run` sends its message in quotes, with quotes and backslashes of its own escaped. */
function holds(message: string, prompt: string): boolean {
  return message.includes(prompt) || message.includes(prompt.replaceAll(/["\\]/gu, String.raw`\$&`));
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  return value;
}

function toModelRequest(body: unknown): ModelRequest {
  const messages = listOf(fieldsOf(body)["messages"]).map(fieldsOf);
  const at = messages.findLastIndex((message) => message["role"] === "user");
  const after = messages.slice(at + 1);
  const system = messages.filter((message) => message["role"] === "system").map((m) => contentText(m["content"]));
  const tools = listOf(fieldsOf(body)["tools"]).map((tool) => fieldsOf(fieldsOf(tool)["function"]));
  const names = new Map<string, string>();
  for (const message of messages) {
    for (const call of listOf(message["tool_calls"]).map(fieldsOf)) {
      names.set(textOf(call["id"]) ?? "", textOf(fieldsOf(call["function"])["name"]) ?? "");
    }
  }
  return {
    prompt: contentText(messages[at]?.["content"]),
    toolResults: after
      .filter((message) => message["role"] === "tool")
      .map((message) => {
        const callId = textOf(message["tool_call_id"]) ?? "";
        return { callId, tool: names.get(callId) ?? "", text: contentText(message["content"]) };
      }),
    step: after.filter((message) => message["role"] === "assistant").length,
    isTitle: tools.length === 0 && system.some((text) => /title/iu.test(text)),
    tools: tools.map((tool) => ({
      name: textOf(tool["name"]) ?? "",
      description: textOf(tool["description"]) ?? "",
      parameters: tool["parameters"],
    })),
    messages,
  };
}

/** Content is a string, or a list of `{type, text}` parts. */
function contentText(content: unknown): string {
  return (
    textOf(content) ??
    listOf(content)
      .map((part) => textOf(fieldsOf(part)["text"]) ?? "")
      .join("\n")
  );
}
