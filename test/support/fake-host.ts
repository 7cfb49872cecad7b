/**
 * Fake host: OpenCode in memory, behind the Host port, with the habits of either generation: cursors that can be made
 * from a message (1.18) or are opaque (2.x), latency, and every way to fail that a real one has.
 *
 * It stores and answers; it sends no events. A test (or FakeHost's caller) sends the events it wants to be seen.
 */

import type { Host, HostLocation, MessagePage, PageCursor } from "../../src/host/host.ts";
import { HostError } from "../../src/host/host.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import type { Logger } from "../../src/runtime/logger.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import type { Message, Session, Source } from "../../src/session/session.ts";

export interface FakeCall {
  readonly method: "sessions" | "session" | "messages" | "message";
  readonly sessionId: string | null;
  readonly messageId: string | null;
}

/**
 * How a call goes wrong: "error" as on HTTP 500, "never" answers only an abort, "malformed-cursor" names an older page
 * that cannot be fetched, "repeated-cursor" names the page just fetched, "half-page" gives half of what was asked for.
 */
export type FakeFailure = "error" | "unavailable" | "never" | "malformed-cursor" | "repeated-cursor" | "half-page";

export interface FakeHostOptions {
  readonly source?: Source;
  readonly location?: Partial<HostLocation>;
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Milliseconds each call takes. */
  readonly latencyMs?: number | ((call: FakeCall) => number);
  /** Sessions in a page of the listing. */
  readonly listingPage?: number;
}

interface StoredSession {
  session: Session;
  /** In the host's order: by time, then by arrival. */
  readonly messages: Message[];
  readonly messageIds: Set<string>;
}

/** Held apart from the host, so that several hosts (one for each directory) can stand on one store, as real ones do. */
export class FakeStore {
  readonly sessions = new Map<string, StoredSession>();

  putSession(session: Session, messages: readonly Message[] = []): void {
    const stored = this.sessions.get(session.id);
    if (stored === undefined) this.sessions.set(session.id, { session, messages: [], messageIds: new Set() });
    else stored.session = session;
    for (const message of messages) this.putMessage(message);
  }

  /** Changes fields of a session, as a rename or an archiving does. */
  changeSession(sessionId: string, change: Partial<Session>): Session {
    const stored = this.#stored(sessionId);
    stored.session = { ...stored.session, ...change };
    return stored.session;
  }

  /** Adds or replaces a message; the session's `updatedAt` follows. */
  putMessage(message: Message): void {
    const { messages, messageIds, session } = this.#stored(message.sessionId);
    if (messageIds.has(message.id)) messages[messages.findIndex((other) => other.id === message.id)] = message;
    else {
      messageIds.add(message.id);
      let place = messages.length;
      while (place > 0 && messages[place - 1]!.createdAt > message.createdAt) place -= 1;
      messages.splice(place, 0, message);
    }
    const updatedAt = Math.max(session.updatedAt, message.completedAt ?? message.createdAt);
    if (updatedAt !== session.updatedAt) this.changeSession(session.id, { updatedAt });
  }

  removeMessage(sessionId: string, messageId: string): void {
    const { messages, messageIds } = this.#stored(sessionId);
    if (messageIds.delete(messageId))
      messages.splice(
        messages.findIndex((message) => message.id === messageId),
        1,
      );
  }

  /** Deletes a session and its children. Returns the deleted ids, children first, as the host announces them. */
  deleteSession(sessionId: string): string[] {
    const children = [...this.sessions.values()].filter(({ session }) => session.parentId === sessionId);
    const deleted = children.flatMap(({ session }) => this.deleteSession(session.id));
    this.sessions.delete(sessionId);
    return [...deleted, sessionId];
  }

  #stored(sessionId: string): StoredSession {
    const stored = this.sessions.get(sessionId);
    if (stored === undefined) throw new Error(`The fake host has no session ${sessionId}: put it first.`);
    return stored;
  }
}

export class FakeHost implements Host {
  readonly source: Source;
  readonly version = "1.18.33";
  readonly location: HostLocation;
  readonly log: Logger;
  readonly store: FakeStore;
  /** Every call made, in order. */
  readonly calls: FakeCall[] = [];
  readonly toasts: string[] = [];
  /** Calls under way now, and the most there ever were at once. */
  underWay = 0;
  mostUnderWay = 0;
  /** The largest page of messages asked for. */
  largestPage = 0;
  ready = true;
  readonly #options: FakeHostOptions;
  readonly #clock: Clock;
  #failing: (call: FakeCall) => FakeFailure | null = () => null;

  constructor(options: FakeHostOptions = {}, store: FakeStore = new FakeStore()) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.store = store;
    this.source = options.source ?? "v1";
    this.location = { directory: "/w/app", worktree: "/w/app", projectId: "project-1", ...options.location };
    this.log = options.log ?? silentLogger;
  }

  /** Decides from now on which calls fail, and how; `() => null` makes everything well again. */
  failWhen(failing: (call: FakeCall) => FakeFailure | null): void {
    this.#failing = failing;
  }

  /** Calls of one method so far, all or for one session. */
  count(method: FakeCall["method"], sessionId?: string): number {
    return this.calls.filter((call) => call.method === method && (sessionId ?? call.sessionId) === call.sessionId)
      .length;
  }

  availability(): { readonly ready: boolean; readonly reason: string | null } {
    return { ready: this.ready, reason: this.ready ? null : "The fake host is not ready." };
  }

  async toast(message: string): Promise<void> {
    this.toasts.push(message);
  }

  /** Most recently active first, as 1.18 lists. */
  async *sessions(signal: AbortSignal): AsyncGenerator<readonly Session[]> {
    const all = [...this.store.sessions.values()].map(({ session }) => session);
    all.sort((one, other) => other.updatedAt - one.updatedAt);
    const size = this.#options.listingPage ?? 100;
    for (let start = 0; start === 0 || start < all.length; start += size) {
      const failure = await this.#answer({ method: "sessions", sessionId: null, messageId: null }, signal);
      yield all.slice(start, start + (failure === "half-page" ? Math.ceil(size / 2) : size));
      if (failure === "malformed-cursor") throw badCursor();
      if (failure === "repeated-cursor") throw new HostError("repeated-cursor", "The fake host repeats its cursor.");
    }
  }

  async session(sessionId: string, signal: AbortSignal): Promise<Session | null> {
    await this.#answer({ method: "session", sessionId, messageId: null }, signal);
    return this.store.sessions.get(sessionId)?.session ?? null;
  }

  async messages(
    sessionId: string,
    page: { readonly before: PageCursor | null; readonly limit: number },
    signal: AbortSignal,
  ): Promise<MessagePage | null> {
    const failure = await this.#answer({ method: "messages", sessionId, messageId: null }, signal);
    this.largestPage = Math.max(this.largestPage, page.limit);
    const messages = this.store.sessions.get(sessionId)?.messages;
    if (messages === undefined) return null;
    const end = page.before === null ? messages.length : this.#placeOf(messages, page.before);
    const start = Math.max(0, end - (failure === "half-page" ? Math.ceil(page.limit / 2) : page.limit));
    const slice = messages.slice(start, end);
    const oldest = slice[0];
    if (start === 0 || oldest === undefined) return { messages: slice, older: null };
    if (failure === "malformed-cursor") return { messages: slice, older: toCursor("%%%") };
    if (failure === "repeated-cursor") return { messages: slice, older: page.before ?? this.#cursor(oldest) };
    return { messages: slice, older: this.#cursor(oldest) };
  }

  async message(sessionId: string, messageId: string, signal: AbortSignal): Promise<Message | null> {
    await this.#answer({ method: "message", sessionId, messageId }, signal);
    return this.store.sessions.get(sessionId)?.messages.find((message) => message.id === messageId) ?? null;
  }

  cursorBefore(message: { readonly id: string; readonly createdAt: number }): PageCursor | null {
    return this.source === "v1" ? this.#cursor(message) : null;
  }

  #cursor(message: { readonly id: string; readonly createdAt: number }): PageCursor {
    const place =
      this.source === "v1" ? JSON.stringify({ id: message.id, time: message.createdAt }) : `seq:${message.id}`;
    return toCursor(Buffer.from(place).toString("base64url"));
  }

  #placeOf(messages: readonly Message[], cursor: PageCursor): number {
    const place = Buffer.from(cursor, "base64url").toString();
    const id = /^\{"id":"([^"]+)"|^seq:(.+)$/u.exec(place);
    if (id === null) throw badCursor();
    const index = messages.findIndex((message) => message.id === (id[1] ?? id[2]));
    if (index >= 0) return index;
    // The message was removed since; 1.18 still knows its time.
    const time = /"time":(\d+)/u.exec(place)?.[1];
    if (time === undefined) throw badCursor();
    return messages.filter((message) => message.createdAt < Number(time)).length;
  }

  async #answer(call: FakeCall, signal: AbortSignal): Promise<FakeFailure | null> {
    signal.throwIfAborted();
    this.calls.push(call);
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    try {
      const latency = this.#options.latencyMs ?? 0;
      const ms = typeof latency === "number" ? latency : latency(call);
      if (ms > 0) await this.#clock.sleep(ms, signal);
      else await Promise.resolve();
      const failure = this.#failing(call);
      if (failure === "never") return await untilAborted(signal);
      if (failure === "error") throw new HostError("bad-response", `HTTP 500 from ${call.method} (fake).`);
      if (failure === "unavailable") throw new HostError("unavailable", `No answer from ${call.method} (fake).`);
      return failure;
    } finally {
      this.underWay -= 1;
    }
  }
}

function toCursor(text: string): PageCursor {
  if (!isCursor(text)) throw new Error("A cursor cannot be empty.");
  return text;
}

function isCursor(text: string): text is PageCursor {
  return text !== "";
}

function badCursor(): HostError {
  return new HostError("bad-response", "HTTP 400: the cursor is malformed (fake).");
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
