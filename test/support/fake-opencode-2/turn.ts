/**
 * Turn: one prompt and all that follows, as a fake OpenCode 2.x stores and tells it (§3, §4). RUN-JUL is the sheet's
 * mark for what was seen on a running build of July 2026.
 */

import { fieldsOf, textOf } from "../../../src/host/fields.ts";
import type { ToolResult } from "../scripted-provider.ts";
import type { Step, ToolRequest } from "../step.ts";
import { builtinName, runBuiltin } from "./builtin-tools.ts";
import type { HostState } from "./host-state.ts";
import type { Permissions } from "./permissions.ts";
import { MessageDraft, TOKENS } from "./message-draft.ts";
import type { Json, StoredMessage, StoredSession } from "./store.ts";
import type { ToolOutcome } from "./tool-box.ts";

export interface TurnTools {
  readonly state: HostState;
  readonly permissions: Permissions;
  createSession(directory: string, fields?: Partial<StoredSession>): StoredSession;
}

/** Holds a turn to its end. @returns what the tools answered, as it arrived at the model */
export async function holdTurn(
  tools: TurnTools,
  sessionId: string,
  prompt: string,
  more: Json = {},
): Promise<ToolResult[]> {
  const { state } = tools;
  commitRevert(state, sessionId);
  enqueue(state, sessionId, prompt, more);
  state.emit(sessionId, "session.execution.started");
  state.emit(sessionId, "session.status", { status: { type: "busy" } });
  const results: ToolResult[] = [];
  let outcome: Outcome = { kind: "succeeded" };
  for (const step of state.stepsFor(prompt)) {
    outcome = await holdStep(tools, sessionId, step, results);
    if (outcome.kind !== "succeeded") break;
  }
  finish(state, sessionId, outcome);
  return results;
}

type Outcome =
  | { readonly kind: "succeeded" }
  | { readonly kind: "failed"; readonly error: Json }
  | { readonly kind: "interrupted" };

/** The next prompt is what makes a revert final. */
function commitRevert(state: HostState, sessionId: string): void {
  const session = state.store.sessions.get(sessionId);
  const boundary = textOf(fieldsOf(session?.revert)["messageID"]);
  if (session === undefined || boundary === null) return;
  const { revert: _, ...rest } = session;
  state.store.cutMessages(sessionId, boundary);
  state.change(rest, "session.revert.committed", { to: boundary });
}

function enqueue(state: HostState, sessionId: string, text: string, more: Json): void {
  const inboxID = state.id("msg");
  const item = { type: "user", delivery: "queue", payload: { text, ...more } };
  state.emit(sessionId, "session.inbox.enqueued", { inboxID, item });
  const message: StoredMessage = { id: inboxID, type: "user", text, ...more, time: { created: state.now() } };
  state.tell(sessionId, message, "session.inbox.delivered", { inboxID });
}

async function holdStep(tools: TurnTools, sessionId: string, step: Step, results: ToolResult[]): Promise<Outcome> {
  const { state } = tools;
  const draft = new MessageDraft(state, sessionId);
  if (step.status !== undefined) {
    const error = { type: "api", message: `The provider answered ${String(step.status)}`, status: step.status };
    draft.fail(error);
    return { kind: "failed", error };
  }
  if (step.reasoning !== undefined) draft.words("reasoning", step.reasoning);
  if (step.text !== undefined) draft.words("text", step.text);
  for (const request of step.calls ?? []) {
    const result = await holdCall(tools, sessionId, draft, request);
    if (result === "rejected") {
      // RUN-JUL: a rejected permission ends the step and interrupts the turn.
      draft.fail({ type: "aborted", message: "The user rejected permission to use this tool." });
      return { kind: "interrupted" };
    }
    results.push(result);
  }
  draft.end();
  return { kind: "succeeded" };
}

async function holdCall(
  tools: TurnTools,
  sessionId: string,
  draft: MessageDraft,
  request: ToolRequest,
): Promise<ToolResult | "rejected"> {
  const { state, permissions } = tools;
  const directory = state.store.sessions.get(sessionId)?.location.directory ?? "";
  const name = builtinName(request.tool);
  const args = fieldsOf(request.args);
  const call = draft.beginCall(name, args);
  const command = textOf(args["command"]) ?? "";
  if (name === "shell" && command.startsWith("echo ask")) {
    const reply = await permissions.ask(sessionId, draft.id, call, command);
    if (reply === "reject") {
      draft.endCall(call, failed("The user rejected permission to use this tool.", "aborted"), {}, []);
      return "rejected";
    }
  }
  let outcome: ToolOutcome;
  let metadata: Json = {};
  let files: readonly string[] = [];
  if (name === "subagent") {
    const prompt = textOf(args["prompt"]) ?? "";
    const child = tools.createSession(directory, { parentID: sessionId, title: textOf(args["description"]) ?? "" });
    await holdTurn(tools, child.id, prompt);
    metadata = { sessionID: child.id, status: "completed" };
    outcome = { status: "completed", content: [{ type: "text", text: lastWords(state, child.id) }], error: null };
  } else {
    try {
      const builtin = await runBuiltin(name, args, directory);
      if (builtin === null) {
        const context = { sessionID: sessionId, messageID: draft.id, id: call, agent: "build", ...signalOf() };
        outcome = await state.toolBox(directory).run(name, args, context);
      } else {
        ({ metadata, files } = builtin);
        outcome = { status: "completed", content: [{ type: "text", text: builtin.text }], error: null };
      }
    } catch (error) {
      outcome = failed(error instanceof Error ? error.message : String(error), "unknown");
    }
  }
  draft.endCall(call, outcome, metadata, files);
  const text = outcome.error === null ? textsOf(outcome.content) : (textOf(outcome.error["message"]) ?? "");
  return { tool: request.tool, callId: call, text };
}

function signalOf(): Json {
  return { signal: new AbortController().signal, progress: async () => {} };
}

function failed(message: string, type: string): ToolOutcome {
  return { status: "error", content: [], error: { type, message } };
}

function textsOf(content: readonly Json[]): string {
  return content.map((item) => textOf(item["text"]) ?? "").join("\n");
}

function lastWords(state: HostState, sessionId: string): string {
  const message = state.store.messages(sessionId).findLast(({ type }) => type === "assistant");
  const content = Array.isArray(message?.["content"]) ? message["content"] : [];
  return textsOf(content.map((item) => fieldsOf(item)).filter((item) => item["type"] === "text"));
}

/** The end of a turn moves `time.idle`, not `time.updated` (§4). */
function finish(state: HostState, sessionId: string, outcome: Outcome): void {
  const session = state.store.sessions.get(sessionId);
  if (session === undefined) return;
  const at = state.now();
  const error = outcome.kind === "failed" ? { error: outcome.error } : {};
  const idle: StoredMessage = {
    id: state.id("msg"),
    type: "idle",
    outcome: outcome.kind,
    ...error,
    time: { created: at },
  };
  state.store.putMessage(sessionId, idle);
  state.store.putSession({ ...session, outcome: outcome.kind, time: { ...session.time, idle: at } });
  const reason = outcome.kind === "interrupted" ? { reason: "user" } : error;
  state.emit(sessionId, `session.execution.${outcome.kind}`, reason);
  state.emit(sessionId, "session.usage.updated", { cost: 0, tokens: TOKENS });
  state.emit(sessionId, "session.status", { status: { type: "idle" } });
  state.emit(sessionId, "session.idle");
}
