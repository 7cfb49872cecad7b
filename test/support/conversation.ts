/** Conversation: turns held in a real host, told as prompt and script. */

import { fieldsOf, listOf, textOf } from "../../src/host/fields.ts";
import type { RealHost } from "./real-host.ts";
import type { ScriptedProvider, ToolResult } from "./scripted-provider.ts";
import type { Step } from "./step.ts";

export interface Turn {
  readonly sessionId: string;
  /** The last message of the turn as the host answered it: `{info, parts}`. */
  readonly reply: unknown;
  /** What the tools of this turn answered, as it arrived at the model. */
  readonly toolResults: readonly ToolResult[];
}

export interface SayOptions {
  /** A new session when left out. */
  readonly sessionId?: string;
  /** Parts beside the prompt: files, mentioned agents. */
  readonly parts?: readonly Readonly<Record<string, unknown>>[];
}

export interface Conversation {
  /** Starts a session and returns its id. */
  createSession(body?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Holds one turn to its end. Prompts must differ within a sandbox: a script is found by its prompt. */
  say(prompt: string, steps: readonly Step[], options?: SayOptions): Promise<Turn>;
  /** What happens when a person types `/name words`: one turn, to its end. */
  command(sessionId: string, name: string, words: string): Promise<void>;
  messages(sessionId: string): Promise<readonly unknown[]>;
  revert(sessionId: string, messageId: string): Promise<void>;
  unrevert(sessionId: string): Promise<void>;
  rename(sessionId: string, title: string): Promise<void>;
  archive(sessionId: string, at: number): Promise<void>;
  fork(sessionId: string): Promise<string>;
  compact(sessionId: string): Promise<void>;
  abort(sessionId: string): Promise<void>;
  remove(sessionId: string): Promise<void>;
  children(sessionId: string): Promise<readonly string[]>;
  /** Waits until the host asks for a permission, answers, and returns the request's id. */
  answerPermission(reply: "once" | "always" | "reject"): Promise<string>;
}

/** @param directory where new sessions start; the host's own folder when left out */
export function converse(host: RealHost, provider: ScriptedProvider, directory: string = host.directory): Conversation {
  const api = async (method: string, path: string, body?: unknown) => host.api(method, path, body, directory);
  const createSession = async (body: Readonly<Record<string, unknown>> = {}) =>
    idOf(await api("POST", "/session", body));
  return {
    createSession,
    say: async (prompt, steps, options = {}) => {
      const id = options.sessionId ?? (await createSession());
      provider.script(prompt, steps);
      const parts = [{ type: "text", text: prompt }, ...(options.parts ?? [])];
      const reply = await api("POST", `/session/${id}/message`, { parts });
      return { sessionId: id, reply, toolResults: provider.toolResults(prompt) };
    },
    command: async (id, name, words) => {
      await api("POST", `/session/${id}/command`, { command: name, arguments: words });
    },
    messages: async (id) => listOf(await api("GET", `/session/${id}/message`)),
    revert: async (id, messageID) => void (await api("POST", `/session/${id}/revert`, { messageID })),
    unrevert: async (id) => void (await api("POST", `/session/${id}/unrevert`)),
    rename: async (id, title) => void (await api("PATCH", `/session/${id}`, { title })),
    archive: async (id, at) => void (await api("PATCH", `/session/${id}`, { time: { archived: at } })),
    fork: async (id) => idOf(await api("POST", `/session/${id}/fork`, {})),
    compact: async (id) => {
      await api("POST", `/session/${id}/summarize`, { providerID: "scripted", modelID: "scripted" });
    },
    abort: async (id) => void (await api("POST", `/session/${id}/abort`)),
    remove: async (id) => void (await api("DELETE", `/session/${id}`)),
    children: async (id) => listOf(await api("GET", `/session/${id}/children`)).map(idOf),
    answerPermission: async (reply) => {
      const requestId = await until("a permission to be asked for", async () => {
        const asked = listOf(await api("GET", "/permission"));
        return asked[0] === undefined ? null : idOf(asked[0]);
      });
      await api("POST", `/permission/${requestId}/reply`, { reply });
      return requestId;
    },
  };
}

/**
 * Asks again until there is an answer.
 * @throws after `timeoutMs`, naming what was waited for
 */
export async function until<T>(what: string, ask: () => Promise<T | null>, timeoutMs = 60_000): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > end) throw new Error(`Waited ${timeoutMs / 1000} s in vain for ${what}.`);
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
  }
}

function idOf(value: unknown): string {
  const id = textOf(fieldsOf(value)["id"]);
  if (id === null) throw new Error(`The host's answer has no id: ${JSON.stringify(value)}`);
  return id;
}
