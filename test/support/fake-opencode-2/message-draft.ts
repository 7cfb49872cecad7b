/** Message draft: an assistant message of a fake OpenCode 2.x while it is written (§3, §4). */

import { fieldsOf } from "../../../src/host/fields.ts";
import type { HostState } from "./host-state.ts";
import type { Json, StoredMessage } from "./store.ts";
import type { ToolOutcome } from "./tool-box.ts";

const MODEL = { providerID: "scripted", id: "scripted" };
export const TOKENS = { input: 10, output: 5, reasoning: 0, cache: { read: 0, write: 0 } };

/** Every change is stored first and told then. */
export class MessageDraft {
  readonly id: string;
  readonly #state: HostState;
  readonly #sessionId: string;
  readonly #created: number;
  readonly #content: Json[] = [];
  readonly #files = new Set<string>();

  constructor(state: HostState, sessionId: string) {
    this.#state = state;
    this.#sessionId = sessionId;
    this.id = state.id("msg");
    this.#created = state.now();
    this.#tell("session.step.started", { agent: "build", model: MODEL, started: this.#created });
  }

  words(type: "text" | "reasoning", text: string): void {
    const ordinal = this.#content.length;
    this.#content.push({ type, text: "" });
    this.#tell(`session.${type}.started`, { ordinal });
    for (const delta of [text.slice(0, 4), text.slice(4)]) this.#tell(`session.${type}.delta`, { ordinal, delta });
    this.#content[ordinal] = { type, text };
    this.#tell(`session.${type}.ended`, { ordinal, text });
  }

  beginCall(name: string, input: Json): string {
    const id = this.#state.id("call");
    const tool = { type: "tool", id, name, executed: false, time: { created: this.#state.now() } };
    const place = this.#content.length;
    this.#content[place] = { ...tool, state: { status: "streaming", input: "" } };
    this.#tell("session.tool.input.started", { id, name });
    this.#tell("session.tool.input.ended", { id, text: JSON.stringify(input) });
    this.#content[place] = { ...tool, state: { status: "running", input, metadata: {} } };
    this.#tell("session.tool.called", { id, input, executed: false });
    this.#tell("session.tool.progress", { id, metadata: {} });
    return id;
  }

  endCall(id: string, { status, content, error }: ToolOutcome, metadata: Json, files: readonly string[]): void {
    const place = this.#content.findIndex((item) => item["id"] === id);
    const running = fieldsOf(this.#content[place]);
    const input = fieldsOf(running["state"])["input"];
    const state =
      status === "completed" ? { status, input, content, metadata } : { status, input, error, content, metadata };
    const time = { ...fieldsOf(running["time"]), ran: this.#state.now(), completed: this.#state.now() };
    this.#content[place] = { ...running, state, time };
    for (const file of files) this.#files.add(file);
    const told = status === "completed" ? { content } : { error };
    this.#tell(status === "completed" ? "session.tool.success" : "session.tool.failed", { id, ...told, metadata });
  }

  end(): void {
    const reason = this.#content.some((item) => item["type"] === "tool") ? "tool-calls" : "stop";
    const told = { finish: reason, cost: 0, tokens: TOKENS, files: [...this.#files] };
    this.#tell("session.step.ended", told, { finish: reason });
  }

  fail(error: Json): void {
    this.#tell("session.step.failed", { error }, { error });
  }

  #tell(type: string, data: Json, end: Json | null = null): void {
    const completed = end === null ? {} : { completed: this.#state.now() };
    const message: StoredMessage = {
      id: this.id,
      type: "assistant",
      agent: "build",
      model: MODEL,
      content: [...this.#content],
      ...(this.#files.size === 0 ? {} : { snapshot: { files: [...this.#files] } }),
      ...(end === null ? {} : { ...end, cost: 0, tokens: TOKENS }),
      time: { created: this.#created, ...completed },
    };
    this.#state.tell(this.#sessionId, message, type, { assistantMessageID: this.id, ...data });
  }
}
