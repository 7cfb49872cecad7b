/** Results: what a search answers, before it becomes text. Times are epoch milliseconds. */

import type { MessageRole, Source } from "../session/session.ts";

/** How much of the history the index holds, for the line in each answer. */
export interface Coverage {
  readonly indexedSessions: number;
  /** Sessions the last listing of the host named; null before the first listing. */
  readonly knownSessions: number | null;
  /** Whether everything the host listed is indexed. */
  readonly complete: boolean;
  /** Whether the index was lost while in use, and how much of the history is missing from the new one is not known yet. */
  readonly rebuilding: boolean;
  /** One sentence each: why history is missing, that the index lives in memory only… */
  readonly troubles: readonly string[];
}

export interface SessionHit {
  readonly sessionId: string;
  readonly source: Source;
  readonly title: string;
  readonly projectId: string;
  readonly directory: string;
  readonly parentId: string | null;
  /** The topmost session of a sub-agent's chain; null for a session that is no sub-agent's. */
  readonly rootId: string | null;
  readonly createdAt: number;
  /** Last activity. */
  readonly updatedAt: number;
  readonly archived: boolean;
  /** Whether some of it is reverted. */
  readonly reverted: boolean;
}

/** A piece of text around a match: 300 UTF-16 units at most, cut on grapheme bounds, always well-formed. */
export interface Excerpt {
  readonly text: string;
  /** Where the word stands in `text`, UTF-16 units, half-open. */
  readonly matchStart: number;
  readonly matchEnd: number;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
  /** Never shown: what stands around it, so that a secret that reaches into the excerpt is seen whole and masked. */
  readonly surroundings: { readonly before: string; readonly after: string };
}

/** The first place, by sequence, where one word of the query matched in one session. */
export interface TermMatch {
  /** The word or phrase as it was written. */
  readonly term: string;
  /** null when the title matched. */
  readonly messageId: string | null;
  readonly role: MessageRole | null;
  readonly time: number;
  readonly reverted: boolean;
  readonly excerpt: Excerpt;
}

export interface MessageHit extends SessionHit {
  readonly matches: readonly TermMatch[];
}

export interface ProjectHit {
  readonly projectId: string;
  readonly directories: readonly string[];
  readonly sessions: number;
  /** Last activity of its newest matching session. */
  readonly updatedAt: number;
}

export interface EditHit {
  readonly sessionId: string;
  readonly source: Source;
  readonly sessionTitle: string;
  readonly projectId: string;
  readonly directory: string;
  readonly rootId: string | null;
  readonly messageId: string;
  /** "write", "edit", "apply_patch"…; "snapshot" when only the host's snapshot saw the change. */
  readonly tool: string;
  readonly time: number;
  readonly path: string;
  /** The prompt a person wrote before it; null when none is indexed. At most 300 UTF-16 units. */
  readonly prompt: { readonly messageId: string; readonly text: string; readonly cut: boolean } | null;
  /** The earliest indexed edit of that path in the project scope. */
  readonly firstEdit: boolean;
  readonly reverted: boolean;
}

export interface Results<Hit> {
  readonly hits: readonly Hit[];
  /** More matched than the limit let through. */
  readonly more: boolean;
  /** One line each, written for the model: what was taken literally, lowered, ignored. */
  readonly notes: readonly string[];
  readonly coverage: Coverage;
}
