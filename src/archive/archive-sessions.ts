/** Archive sessions: the session archives of a worktree that are in memory, of which a few are kept though they are idle. */

import { SessionArchive, type SessionArchiveTools } from "./session-archive.ts";

/** A session archive holds the places of all its turns; those that were used last are likely to be used again. */
const MOST_HELD = 24;

export class ArchiveSessions {
  readonly #tools: SessionArchiveTools;
  /** Least recently used first. */
  readonly #held = new Map<string, SessionArchive>();

  constructor(tools: SessionArchiveTools) {
    this.#tools = tools;
  }

  get(sessionId: string): SessionArchive {
    const session = this.#held.get(sessionId) ?? new SessionArchive(sessionId, this.#tools);
    this.#held.delete(sessionId);
    this.#held.set(sessionId, session);
    for (const [id, candidate] of this.#held) {
      if (this.#held.size <= MOST_HELD) break;
      if (candidate !== session && candidate.isIdle) this.#held.delete(id);
    }
    return session;
  }
}
