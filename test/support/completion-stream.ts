/** Completion stream: one scripted answer as the server-sent events of OpenAI's chat completions. */

import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import type { Step } from "./step.ts";

/** Characters in one piece of streamed text. */
const PIECE = 40;

/** @param sequence number of the request, which makes the call ids unique */
export async function streamStep(outgoing: ServerResponse, step: Step, sequence: number): Promise<void> {
  if (step.status !== undefined) {
    outgoing.writeHead(step.status, { "content-type": "application/json" });
    outgoing.end(JSON.stringify({ error: { message: `scripted failure ${step.status}`, type: "scripted" } }));
    return;
  }
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  const send = (fields: Record<string, unknown>) => {
    const chunk = { id: `chatcmpl-${sequence}`, object: "chat.completion.chunk", created: 0, model: "scripted" };
    if (!outgoing.destroyed) outgoing.write(`data: ${JSON.stringify({ ...chunk, ...fields })}\n\n`);
  };
  const choose = (delta: Record<string, unknown>, finish: string | null = null) => {
    send({ choices: [{ index: 0, delta, finish_reason: finish }] });
  };

  choose({ role: "assistant", content: "" });
  for (const [field, text] of [
    ["reasoning_content", step.reasoning ?? ""],
    ["content", step.text ?? ""],
  ] as const) {
    for (let at = 0; at < text.length && !outgoing.destroyed; at += PIECE) {
      choose({ [field]: text.slice(at, at + PIECE) });
      if (step.pieceMs !== undefined) await delay(step.pieceMs);
    }
  }
  const calls = step.calls ?? [];
  for (const [index, call] of calls.entries()) {
    const args = call.rawArgs ?? JSON.stringify(call.args ?? {});
    const id = `call_${sequence}_${index}`;
    choose({ tool_calls: [{ index, id, type: "function", function: { name: call.tool, arguments: args } }] });
  }
  choose({}, calls.length > 0 ? "tool_calls" : "stop");
  send({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
  outgoing.end("data: [DONE]\n\n");
}
