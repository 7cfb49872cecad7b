/**
 * Sink: a place that keeps sessions (the search index, the archive). Sync reads the host once and feeds every sink;
 * the sinks do not know each other, and sync does not know what they are.
 *
 * Races are settled by stamps, not by coordination: each refresh takes a stamp when its fetch starts, and a sink
 * refuses whatever is older than what it holds, or than the session's deletion. Two refreshes of one session may be
 * open at once, also in one process: a long full pass does not keep the newest messages waiting.
 */

import type { Message, Session } from "../session/session.ts";

export interface SessionSink {
  /** Short name for log lines: "index", "archive". */
  readonly name: string;
  /** Whether this sink keeps that session at all. */
  wants(session: Session): boolean;
  /**
   * Those of the given sessions whose stored state differs from the given fingerprint or was never completed;
   * sessions this sink has marked deleted are not among them. In slices: may be called with 100,000 sessions.
   */
  outdated(sessions: readonly Session[]): Promise<ReadonlySet<string>>;
  /** Starts a refresh of one session and takes its stamp; null when the sink refuses it (deleted meanwhile). */
  open(session: Session): Promise<SinkRefresh | null>;
  /** The host no longer has this session, or said that it was deleted at `at` (epoch ms). */
  remove(sessionId: string, at: number): Promise<void>;
  /** The host announced an error of this session at `at` (epoch ms) that may never become a message. */
  noteSessionError?(sessionId: string, at: number): Promise<void>;
}

export interface SinkRefresh {
  /** `max(now, highest stored stamp + 1)` when the refresh was opened; epoch-like milliseconds. */
  readonly stamp: number;
  /** Whether a full pass of this session was completed before; if not, only a full pass will do. */
  readonly complete: boolean;
  /** The number of messages stored, to notice that counts disagree. */
  readonly storedMessages: number;
  /** Stored digests (session/fingerprint.ts messageDigest) of the given messages; unknown ones are absent. */
  digests(messageIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Stores messages that are new or changed, with their digests; order does not matter. */
  put(messages: readonly { readonly message: Message; readonly digest: string }[]): Promise<void>;
  /** Drops single messages that the host no longer has. */
  removeMessages(messageIds: readonly string[]): Promise<void>;
  /**
   * Ends the refresh: session row and fingerprint are written last.
   * @param seen after a full pass, every message id the host listed: stored ones that are older than the stamp and
   *   not listed are dropped, and the session is complete from now on, also when a newer refresh finished meanwhile
   *   (only the session row and the fingerprint stay the newer one's); null after an incremental refresh
   */
  finish(seen: ReadonlySet<string> | null): Promise<void>;
}
