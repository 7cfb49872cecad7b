/**
 * Fan-out: one refresh of a session, open in every sink that wants it.
 *
 * What the host answers goes to each sink in turn. A sink that fails drops out of this refresh and the others go on; its
 * error is kept for the caller.
 */

import { messageOf } from "../runtime/error-message.ts";
import type { TimeSlice } from "../runtime/time-slice.ts";
import { messageDigest } from "../session/fingerprint.ts";
import type { Message, Session } from "../session/session.ts";
import type { SessionSink, SinkRefresh } from "./sink.ts";

interface Branch {
  readonly sink: SessionSink;
  readonly refresh: SinkRefresh;
}

export class FanOut {
  #branches: readonly Branch[];
  readonly #failures: Error[] = [];

  private constructor(branches: readonly Branch[], failures: readonly Error[]) {
    this.#branches = branches;
    this.#failures.push(...failures);
  }

  /** Opens the refresh in every sink that wants the session and does not refuse it. Never rejects. */
  static async open(sinks: readonly SessionSink[], session: Session): Promise<FanOut> {
    const branches: Branch[] = [];
    const failures: Error[] = [];
    for (const sink of sinks) {
      try {
        const refresh = sink.wants(session) ? await sink.open(session) : null;
        if (refresh !== null) branches.push({ sink, refresh });
      } catch (error) {
        failures.push(sinkFailure(sink, error));
      }
    }
    return new FanOut(branches, failures);
  }

  /** Whether no sink takes this refresh, or none is left that did not fail. */
  get empty(): boolean {
    return this.#branches.length === 0;
  }

  /** Whether every sink has completed a full pass of this session before. */
  get complete(): boolean {
    return this.#branches.every(({ refresh }) => refresh.complete);
  }

  /** Whether some sink holds messages of this session. */
  get holdsMessages(): boolean {
    return this.#branches.some(({ refresh }) => refresh.storedMessages > 0);
  }

  /** What sinks failed with. */
  get failures(): readonly Error[] {
    return this.#failures;
  }

  /**
   * Stores those of the messages that are new or changed, each sink by what it holds.
   * @returns whether one of them was already there, unchanged, in every sink
   */
  async store(messages: readonly Message[], slice: TimeSlice): Promise<boolean> {
    const digested: { readonly message: Message; readonly digest: string }[] = [];
    for (const message of messages) {
      digested.push({ message, digest: messageDigest(message) });
      await slice.breathe();
    }
    const unchanged = new Set(messages.map(({ id }) => id));
    await this.#each(async ({ refresh }) => {
      const known = await refresh.digests(messages.map(({ id }) => id));
      const changed = digested.filter(({ message, digest }) => known.get(message.id) !== digest);
      for (const { message } of changed) unchanged.delete(message.id);
      if (changed.length > 0) await refresh.put(changed);
    });
    return unchanged.size > 0;
  }

  async removeMessages(messageIds: readonly string[]): Promise<void> {
    if (messageIds.length > 0) await this.#each(({ refresh }) => refresh.removeMessages(messageIds));
  }

  /** @param seen as SinkRefresh.finish takes it */
  async finish(seen: ReadonlySet<string> | null): Promise<void> {
    await this.#each(({ refresh }) => refresh.finish(seen));
  }

  async #each(act: (branch: Branch) => Promise<void>): Promise<void> {
    const failed = new Set<Branch>();
    for (const branch of this.#branches) {
      try {
        await act(branch);
      } catch (error) {
        failed.add(branch);
        this.#failures.push(sinkFailure(branch.sink, error));
      }
    }
    if (failed.size > 0) this.#branches = this.#branches.filter((branch) => !failed.has(branch));
  }
}

export function sinkFailure(sink: SessionSink, cause: unknown): Error {
  return new Error(`The ${sink.name} could not be written: ${messageOf(cause)}`, {
    cause,
  });
}
