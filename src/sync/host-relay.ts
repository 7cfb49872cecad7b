/**
 * Host relay: one reader over the hosts of a process, one for each directory that is open.
 *
 * Any of them can read every session, so the first that is there answers for all; when it leaves, the next takes over,
 * also for the call that was under way. A host that left is never called again: on 1.18 that would boot its instance
 * anew.
 */

import type { Host, HostReader, MessagePage, PageCursor } from "../host/host.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Message, Session } from "../session/session.ts";
import { withDeadline } from "./deadline.ts";

interface Attached {
  readonly host: Host;
  readonly left: AbortController;
}

class NoHostError extends Error {
  constructor() {
    super("No OpenCode instance is attached to read from.");
    this.name = "NoHostError";
  }
}

export class HostRelay implements HostReader {
  readonly #clock: Clock;
  readonly #callMs: number;
  readonly #attached: Attached[] = [];

  /** @param callMs milliseconds after which a call counts as failed */
  constructor(clock: Clock, callMs: number) {
    this.#clock = clock;
    this.#callMs = callMs;
  }

  /** The host that answers now. */
  get current(): Host | null {
    return this.#attached[0]?.host ?? null;
  }

  attach(host: Host): void {
    this.#attached.push({ host, left: new AbortController() });
  }

  detach(host: Host): void {
    const place = this.#attached.findIndex((attached) => attached.host === host);
    if (place < 0) return;
    const [attached] = this.#attached.splice(place, 1);
    attached?.left.abort(new NoHostError());
  }

  session(sessionId: string, signal: AbortSignal): Promise<Session | null> {
    return this.#call(`Reading session ${sessionId}`, signal, (host, ended) => host.session(sessionId, ended));
  }

  messages(
    sessionId: string,
    page: { readonly before: PageCursor | null; readonly limit: number },
    signal: AbortSignal,
  ): Promise<MessagePage | null> {
    return this.#call(`Reading messages of ${sessionId}`, signal, (host, ended) =>
      host.messages(sessionId, page, ended),
    );
  }

  message(sessionId: string, messageId: string, signal: AbortSignal): Promise<Message | null> {
    return this.#call(`Reading message ${messageId}`, signal, (host, ended) =>
      host.message(sessionId, messageId, ended),
    );
  }

  cursorBefore(message: { readonly id: string; readonly createdAt: number }): PageCursor | null {
    return this.current?.cursorBefore(message) ?? null;
  }

  /** A listing stays with the host it began with, and fails when that one leaves. */
  async *sessions(signal: AbortSignal): AsyncGenerator<readonly Session[]> {
    const attached = this.#first();
    const ended = new AbortController();
    const pages = attached.host.sessions(ended.signal)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await withDeadline(
          this.#clock,
          "Listing the sessions",
          this.#callMs,
          [signal, attached.left.signal],
          () => pages.next(),
        );
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      ended.abort();
    }
  }

  async #call<T>(what: string, signal: AbortSignal, call: (host: Host, ended: AbortSignal) => Promise<T>): Promise<T> {
    for (;;) {
      const { host, left } = this.#first();
      try {
        return await withDeadline(this.#clock, what, this.#callMs, [signal, left.signal], (ended) => call(host, ended));
      } catch (error) {
        if (!left.signal.aborted) throw error;
        signal.throwIfAborted();
      }
    }
  }

  #first(): Attached {
    const first = this.#attached[0];
    if (first === undefined) throw new NoHostError();
    return first;
  }
}
