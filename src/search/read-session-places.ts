/** Recent places: where the messages that were lately returned stood, so that one removed since is still a place. */

import type { Place } from "../search-index/reader-positions.ts";

/** About 200 bytes each. */
const MAX_PLACES = 4_000;

export class RecentPlaces {
  readonly #places = new Map<string, Place>();

  remember(sessionId: string, message: Place): void {
    const key = keyOf(sessionId, message.id);
    this.#places.delete(key);
    this.#places.set(key, { id: message.id, createdAt: message.createdAt });
    if (this.#places.size <= MAX_PLACES) return;
    const oldest = this.#places.keys().next();
    if (oldest.done !== true) this.#places.delete(oldest.value);
  }

  find(sessionId: string, messageId: string): Place | null {
    return this.#places.get(keyOf(sessionId, messageId)) ?? null;
  }
}

function keyOf(sessionId: string, messageId: string): string {
  return `${sessionId}\n${messageId}`;
}
