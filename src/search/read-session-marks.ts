/**
 * Marks: places where pages began in earlier walks, kept so that the next reading of the same session need not walk
 * from its end again. For hosts with opaque cursors and sessions that are not indexed. A mark is a hint: messages may
 * have come or gone since.
 */

import type { MessagePage, PageCursor } from "../host/host.ts";
import type { Place } from "../search-index/reader-positions.ts";

/** Sessions remembered, the last used ones; and marks a session, each about 200 bytes. */
const MAX_SESSIONS = 8;
const MAX_MARKS = 1_000;

interface Mark {
  readonly oldest: Place;
  /** The cursor of the page that ends just before `oldest`. */
  readonly cursor: PageCursor;
  /** Messages from `oldest` up to the next mark, as far as one walk saw. */
  readonly size: number;
}

export class PageMarks {
  readonly #sessions = new Map<string, Mark[]>();

  record(sessionId: string, page: MessagePage): void {
    const oldest = page.messages[0];
    if (oldest === undefined || page.older === null) return;
    const marks = this.#use(sessionId);
    if (marks.length >= MAX_MARKS || marks.some((mark) => mark.oldest.id === oldest.id)) return;
    const mark = {
      oldest: { id: oldest.id, createdAt: oldest.createdAt },
      cursor: page.older,
      size: page.messages.length,
    };
    const next = marks.findIndex((other) => other.oldest.createdAt > oldest.createdAt);
    marks.splice(next === -1 ? marks.length : next, 0, mark);
  }

  /**
   * The cursor of a page that probably ends at least `count` messages after a place.
   * @param place null: the session's start
   * @returns null when no mark lies that far on
   */
  beyond(sessionId: string, place: Place | null, count: number): PageCursor | null {
    let messages = -1;
    for (const mark of this.#sessions.get(sessionId) ?? []) {
      if (place !== null && mark.oldest.createdAt <= place.createdAt) continue;
      if (messages >= count) return mark.cursor;
      messages = Math.max(messages, 0) + mark.size;
    }
    return null;
  }

  /** For when the host refused a mark's cursor. Returns whether there were any marks. */
  forget(sessionId: string): boolean {
    return this.#sessions.delete(sessionId);
  }

  #use(sessionId: string): Mark[] {
    const marks = this.#sessions.get(sessionId) ?? [];
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, marks);
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(oldest);
    }
    return marks;
  }
}
