/**
 * Generated host: a host of any size whose messages are made when they are asked for, so that a benchmark measures the
 * memory of the product and not that of its corpus. The same seed gives the same history.
 *
 * Its calls take as long as those of OpenCode 1.18.34 were measured to: 8 ms for one session or message, 5 ms and 0.9 ms
 * a message for a page.
 */

import type { Host, MessagePage, PageCursor } from "../../src/host/host.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import type { Message, Part, Session } from "../../src/session/session.ts";
import { buildMessage, buildSession, BUILT_AT, toolPart } from "../support/builders.ts";

export interface SessionPlan {
  readonly id: string;
  readonly messages: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

const ONE_MS = 8;
const PAGE_MS = 5;
const PAGED_MESSAGE_MS = 0.9;
const MESSAGE_EVERY_MS = 20_000;
const WORDS = 6000;

export class GeneratedHost implements Host {
  readonly source = "v1";
  readonly version = "1.18.33";
  readonly location = { directory: "/w/app", worktree: "/w/app", projectId: "project-1" };
  readonly log = silentLogger;
  calls = 0;
  /** UTF-16 units of text handed out. */
  handedOut = 0;
  readonly #clock: Clock;
  readonly #latency: boolean;
  readonly #sessions = new Map<string, SessionPlan>();
  /** Messages said after the generated ones, oldest first. */
  readonly #said = new Map<string, Message[]>();

  constructor(clock: Clock, plans: readonly SessionPlan[], options: { readonly latency: boolean }) {
    this.#clock = clock;
    this.#latency = options.latency;
    for (const plan of plans) this.#sessions.set(plan.id, plan);
  }

  /** Adds a message at the end of a session, and returns it. */
  say(sessionId: string, role: "user" | "assistant", text: string): Message {
    const said = this.#said.get(sessionId) ?? [];
    this.#said.set(sessionId, said);
    const id = `msg_${sessionId}_said_${said.length}`;
    const message = buildMessage({ id, sessionId, role, createdAt: this.#clock.now(), parts: [text] });
    said.push(message);
    return message;
  }

  availability(): { readonly ready: boolean; readonly reason: string | null } {
    return { ready: true, reason: null };
  }

  async toast(): Promise<void> {}

  async *sessions(signal: AbortSignal): AsyncGenerator<readonly Session[]> {
    const plans = [...this.#sessions.values()].sort((one, other) => other.startedAt - one.startedAt);
    for (let start = 0; start < plans.length; start += 1000) {
      await this.#wait(PAGE_MS * 10, signal);
      yield plans.slice(start, start + 1000).map((plan) => this.#session(plan));
    }
  }

  async session(sessionId: string, signal: AbortSignal): Promise<Session | null> {
    await this.#wait(ONE_MS, signal);
    const plan = this.#sessions.get(sessionId);
    return plan === undefined ? null : this.#session(plan);
  }

  async messages(
    sessionId: string,
    page: { readonly before: PageCursor | null; readonly limit: number },
    signal: AbortSignal,
  ): Promise<MessagePage | null> {
    const plan = this.#sessions.get(sessionId);
    if (plan === undefined) return null;
    const end = page.before === null ? this.#count(plan) : Number(page.before);
    const start = Math.max(0, end - page.limit);
    await this.#wait(PAGE_MS + PAGED_MESSAGE_MS * (end - start), signal);
    const messages: Message[] = [];
    for (let index = start; index < end; index += 1) messages.push(this.#message(plan, index));
    const older = String(start);
    return { messages, older: start > 0 && isCursor(older) ? older : null };
  }

  async message(sessionId: string, messageId: string, signal: AbortSignal): Promise<Message | null> {
    await this.#wait(ONE_MS, signal);
    return this.#said.get(sessionId)?.find(({ id }) => id === messageId) ?? null;
  }

  cursorBefore(): null {
    return null;
  }

  #count(plan: SessionPlan): number {
    return plan.messages + (this.#said.get(plan.id)?.length ?? 0);
  }

  #session(plan: SessionPlan): Session {
    const last = this.#said.get(plan.id)?.at(-1)?.createdAt ?? plan.startedAt + plan.messages * MESSAGE_EVERY_MS;
    return buildSession({ id: plan.id, title: `Session ${plan.id}`, createdAt: plan.startedAt, updatedAt: last });
  }

  #message(plan: SessionPlan, index: number): Message {
    const said = this.#said.get(plan.id)?.[index - plan.messages];
    const message = said ?? generateMessage(plan, index);
    for (const part of message.parts) {
      if ("text" in part) this.handedOut += part.text.length;
      if (part.type === "tool") this.handedOut += part.output.length;
    }
    return message;
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    this.calls += 1;
    if (this.#latency) await this.#clock.sleep(ms, signal);
    else signal.throwIfAborted();
  }
}

/** Sessions of 20 to 200 messages and one of a tenth of them all, `messages` in all. */
export function planSessions(messages: number): SessionPlan[] {
  const random = createRandom(7);
  const plans: SessionPlan[] = [{ id: "ses_long", messages: Math.floor(messages / 10), startedAt: BUILT_AT }];
  let left = messages - Math.floor(messages / 10);
  for (let index = 0; left > 0; index += 1) {
    const count = Math.min(left, 20 + Math.floor(random() ** 2 * 180));
    plans.push({ id: `ses_${index}`, messages: count, startedAt: BUILT_AT - index * 3_600_000 });
    left -= count;
  }
  return plans;
}

/** A prompt of a sentence or two, or an answer with a paragraph and, three times out of four, a tool's output. */
export function generateMessage(plan: SessionPlan, index: number): Message {
  const random = createRandom(hash(`${plan.id}:${index}`));
  const parts: (Part | string)[] = [];
  const role = index % 6 === 0 ? "user" : "assistant";
  if (role === "user") parts.push(words(random, 8 + Math.floor(random() * 40)));
  else {
    parts.push(words(random, 10 + Math.floor(random() * 60)));
    if (random() < 0.75) {
      const output = words(random, Math.floor(Math.exp(3 + random() * 4.2)));
      parts.push(toolPart("bash", { command: words(random, 5) }, { output }));
    }
  }
  return buildMessage({
    id: `msg_${plan.id}_${index}`,
    sessionId: plan.id,
    role,
    createdAt: plan.startedAt + index * MESSAGE_EVERY_MS,
    parts,
  });
}

/** Pseudo-words with the frequencies of a language: a few are everywhere, most are rare. */
function words(random: () => number, count: number): string {
  let text = "";
  for (let index = 0; index < count; index += 1) text += `${word(Math.floor(random() ** 4 * WORDS))} `;
  return text;
}

function word(rank: number): string {
  let text = "";
  for (let rest = rank + 40; rest > 0; rest = Math.floor(rest / 60)) {
    text += `${"bcdfgklmnprst"[rest % 13]}${"aeiou"[rest % 5]}`;
  }
  return text;
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 16_777_619);
  return value >>> 0;
}

/** Marsaglia's xorshift: small, fast, the same everywhere. */
function createRandom(seed: number): () => number {
  let state = seed === 0 ? 1 : seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function isCursor(text: string): text is PageCursor {
  return text !== "";
}
