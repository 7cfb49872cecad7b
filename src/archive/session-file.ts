/**
 * Session file: the JSON format of one archived session, as people read it and as `jq` does.
 *
 * It is written with two spaces of indentation and a fixed order of keys, which makes two things possible: a later
 * version differs from an earlier one only in the lines of what changed, and a turn can be found and copied as bytes.
 * Fields may be added, none renamed; absent values are null, and marks such as `reverted` stand only where they apply.
 */

import type { Revert, Source, TokenCounts } from "../session/session.ts";
import type { GitHead } from "./git-head.ts";

/** All that stands before the turns. Times are ISO 8601 in UTC. */
export interface SessionHeader {
  readonly _id: string;
  readonly title: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly compactedAt: string | null;
  readonly parentId: string | null;
  readonly subSessions: readonly string[];
  readonly deletedAt: string | null;
  /** Whether the file was damaged, and holds what could be read of it. */
  readonly recovered: boolean;
  readonly archivedAt: string | null;
  readonly forkedFromId: string | null;
  readonly source: Source | null;
  readonly projectId: string | null;
  /** Relative to the worktree, "." for its root: a copy of the repository elsewhere is read the same. */
  readonly directory: string | null;
  readonly agent: string | null;
  /** "provider/model". */
  readonly model: string | null;
  /** US dollars. */
  readonly cost: number | null;
  readonly tokens: TokenCounts | null;
  readonly revert: Revert | null;
  /** The worktree when the session began; null when that was not seen. */
  readonly git: GitHead | null;
  readonly todos: readonly Todo[];
  /** How many secrets of each kind were masked in the session. */
  readonly redactions: Readonly<Record<string, number>>;
  readonly sync: SyncState;
}

export interface Todo {
  readonly content: string;
  readonly status: string;
  readonly priority: string | null;
}

/** How far the file follows the host. */
export interface SyncState {
  /** Of the newest refresh in this file; whoever holds an older one does not write. */
  readonly stamp: number;
  /** Whether every message of the session was compared once. */
  readonly complete: boolean;
  /** session/fingerprint.ts of what is stored; null while a turn was under way. */
  readonly fingerprint: string | null;
  /** How the turns were written: "masked" or "open", "reference" or "inline". Under others they are written again. */
  readonly settings: string;
}

/** What stands at the top of a turn: the archive rewrites it without reading the rest of the turn. */
export interface TurnHead {
  readonly role: "user" | "assistant" | null;
  readonly messageId: string;
  readonly timestamp: string;
  readonly reverted?: true;
  /** Part from which on the turn is reverted: what stands before it is not. */
  readonly revertedFromPart?: string;
  /** When the host dropped the message; in `removedTurns` only. */
  readonly removedAt?: string;
  readonly redacted?: Readonly<Record<string, number>>;
  /** session/fingerprint.ts of the message; null when the turn was recovered in part. */
  readonly digest: string | null;
}

export interface PermissionAsked {
  readonly type: "asked";
  readonly timestamp: string;
  readonly requestId: string;
  readonly permission: string;
  readonly command: string | null;
  readonly question: string | null;
}

export interface PermissionReplied {
  readonly type: "replied";
  readonly timestamp: string;
  readonly requestId: string;
  /** null when the question was not seen. */
  readonly permission: string | null;
  readonly reply: "once" | "always" | "reject";
  readonly allowed: boolean;
}

export interface SessionError {
  readonly timestamp: string;
  readonly name: string;
  readonly message: string;
  readonly statusCode: number | null;
  readonly sessionID: string;
  /** The turn that failed; null for an error that belongs to none. */
  readonly messageId: string | null;
  /** Number of a retry; absent for other errors. */
  readonly attempt?: number;
}

/** All that stands after the turns. */
export interface SessionTail {
  readonly permissions: readonly (PermissionAsked | PermissionReplied)[];
  readonly errors: readonly SessionError[];
}
