/** Reading: a stretch of one session, chosen by a place in it. The content always comes from the host. */

import type { Message, MessageRole } from "../session/session.ts";

/** Where the stretch lies. Message ids are looked up, never compared. */
export type Stretch =
  /** `before` eligible messages, the anchor itself if eligible, `after` eligible messages. */
  | { readonly kind: "around"; readonly messageId: string; readonly before: number; readonly after: number }
  /** `limit` eligible messages after the cursor, or from the session's start when it is null. */
  | { readonly kind: "after"; readonly cursor: string | null; readonly limit: number };

export interface ReadRequest {
  readonly sessionId: string;
  readonly stretch: Stretch;
  /** Filters before neighbours are counted and pages filled; null: both roles. Other native types are never read. */
  readonly role: MessageRole | null;
  readonly signal: AbortSignal;
}

/** A message of a reading, and whether the person took it back (it is hidden until unrevert or the next prompt). */
export interface ReadEntry {
  readonly message: Message;
  readonly reverted: boolean;
}

export interface Reading {
  readonly sessionId: string;
  /** Eligible messages before the anchor, oldest first; empty without an anchor. */
  readonly before: readonly ReadEntry[];
  /** The anchor, when there is one and it is eligible. */
  readonly anchor: ReadEntry | null;
  /** Eligible messages after the anchor, the cursor or the start, oldest first. */
  readonly after: readonly ReadEntry[];
  /** Whether an eligible message follows the last one of `after`. */
  readonly more: boolean;
}

export interface SessionReader {
  /** Rejects with ReadError, with the host's error, or with the signal's reason when aborted. */
  read(request: ReadRequest): Promise<Reading>;
}

export type ReadErrorCode = "no-session" | "no-anchor" | "no-cursor" | "repeated-cursor";

/** What was asked for cannot be read. The message is written for the model: what is wrong, what to do. */
export class ReadError extends Error {
  readonly code: ReadErrorCode;
  constructor(code: ReadErrorCode, message: string) {
    super(message);
    this.name = "ReadError";
    this.code = code;
  }
}
