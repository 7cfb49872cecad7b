/**
 * Memory sink: what a sink promises, in the simplest form. It settles races by stamps as the real ones do, and counts
 * what is asked of it.
 */

import type { Clock } from "../../src/runtime/clock.ts";
import { sessionFingerprint } from "../../src/session/fingerprint.ts";
import type { Message, Session } from "../../src/session/session.ts";
import type { SessionSink, SinkRefresh } from "../../src/sync/sink.ts";

interface HeldMessage {
  readonly message: Message;
  readonly digest: string;
  readonly stamp: number;
}

interface HeldSession {
  session: Session;
  stamp: number;
  fingerprint: string | null;
  complete: boolean;
  readonly messages: Map<string, HeldMessage>;
}

export interface MemorySinkOptions {
  readonly name?: string;
  readonly wants?: (session: Session) => boolean;
}

export class MemorySink implements SessionSink {
  readonly name: string;
  readonly held = new Map<string, HeldSession>();
  readonly tombstones = new Map<string, number>();
  readonly errors = new Map<string, number>();
  /** Messages put so far, and how many of them were stored rather than refused. */
  putCount = 0;
  storedCount = 0;
  opened: string[] = [];
  /** What every method throws while it is set. */
  broken: Error | null = null;
  readonly #clock: Clock;
  readonly #wants: (session: Session) => boolean;

  constructor(clock: Clock, options: MemorySinkOptions = {}) {
    this.#clock = clock;
    this.name = options.name ?? "memory";
    this.#wants = options.wants ?? (() => true);
  }

  wants(session: Session): boolean {
    return this.#wants(session);
  }

  /** Texts of a session's messages, by id; null when it is not held. */
  texts(sessionId: string): Record<string, string> | null {
    const held = this.held.get(sessionId);
    if (held === undefined) return null;
    return Object.fromEntries(
      [...held.messages.values()]
        .map(({ message }) => [
          message.id,
          message.parts.map((part) => ("text" in part ? part.text : part.type)).join("|"),
        ])
        .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)),
    );
  }

  ids(sessionId: string): string[] | null {
    const held = this.held.get(sessionId);
    return held === undefined ? null : [...held.messages.keys()].sort();
  }

  async outdated(sessions: readonly Session[]): Promise<ReadonlySet<string>> {
    this.#check();
    const outdated = sessions.filter((session) => {
      if (this.tombstones.has(session.id)) return false;
      const held = this.held.get(session.id);
      return held === undefined || !held.complete || held.fingerprint !== sessionFingerprint(session);
    });
    return new Set(outdated.map(({ id }) => id));
  }

  async open(session: Session): Promise<SinkRefresh | null> {
    this.#check();
    const stamp = Math.max(this.#clock.now(), this.#highestStamp() + 1);
    if (this.#isBuried(session.id, stamp)) return null;
    this.opened.push(session.id);
    const before = this.held.get(session.id);
    return {
      stamp,
      complete: before?.complete ?? false,
      storedMessages: before?.messages.size ?? 0,
      digests: async (ids) => {
        this.#check();
        const messages = this.held.get(session.id)?.messages;
        return new Map(
          ids.flatMap((id) => {
            const held = messages?.get(id);
            return held === undefined ? [] : [[id, held.digest] as const];
          }),
        );
      },
      put: async (messages) => {
        this.#check();
        this.putCount += messages.length;
        const held = this.#hold(session, stamp);
        if (held === null) return;
        for (const { message, digest } of messages) {
          if ((held.messages.get(message.id)?.stamp ?? 0) > stamp) continue;
          this.storedCount += 1;
          held.messages.set(message.id, { message, digest, stamp });
        }
      },
      removeMessages: async (ids) => {
        this.#check();
        for (const id of ids) this.held.get(session.id)?.messages.delete(id);
      },
      finish: async (seen) => {
        this.#check();
        const held = this.#hold(session, stamp);
        if (held === null) return;
        if (seen !== null) {
          for (const [id, message] of held.messages) {
            if (message.stamp < stamp && !seen.has(id)) held.messages.delete(id);
          }
          held.complete = true;
        }
        if (held.stamp > stamp) return;
        held.session = session;
        held.stamp = stamp;
        held.fingerprint = sessionFingerprint(session);
      },
    };
  }

  async remove(sessionId: string, at: number): Promise<void> {
    this.#check();
    this.tombstones.set(sessionId, Math.max(at, this.#highestStamp(), this.tombstones.get(sessionId) ?? 0));
    this.held.delete(sessionId);
  }

  async noteSessionError(sessionId: string, at: number): Promise<void> {
    this.#check();
    this.errors.set(sessionId, at);
  }

  #hold(session: Session, stamp: number): HeldSession | null {
    if (this.#isBuried(session.id, stamp)) return null;
    const held = this.held.get(session.id);
    if (held !== undefined) return held;
    const created: HeldSession = { session, stamp, fingerprint: null, complete: false, messages: new Map() };
    this.held.set(session.id, created);
    return created;
  }

  #isBuried(sessionId: string, stamp: number): boolean {
    return (this.tombstones.get(sessionId) ?? 0) >= stamp;
  }

  #highestStamp(): number {
    let highest = 0;
    for (const { stamp, messages } of this.held.values()) {
      highest = Math.max(highest, stamp);
      for (const message of messages.values()) highest = Math.max(highest, message.stamp);
    }
    for (const at of this.tombstones.values()) highest = Math.max(highest, at);
    return highest;
  }

  #check(): void {
    if (this.broken !== null) throw this.broken;
  }
}
