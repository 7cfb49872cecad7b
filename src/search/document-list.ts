/** Document list: ids of documents, of which those of one session, and the sessions themselves, are found at once. */

import { documentIds, sessionKeyOf } from "../search-index/document-id.ts";

export class DocumentList {
  readonly #ids: readonly number[];
  #sessions: ReadonlySet<number> | null = null;

  /** @param ids in any order, each once */
  constructor(ids: readonly number[]) {
    this.#ids = [...ids].sort((one, other) => one - other);
  }

  get sessions(): ReadonlySet<number> {
    this.#sessions ??= new Set(this.#ids.map(sessionKeyOf));
    return this.#sessions;
  }

  ofSession(sessionKey: number): readonly number[] {
    const { from, to } = documentIds(sessionKey);
    return this.#ids.slice(this.#firstFrom(from), this.#firstFrom(to));
  }

  firstOfSession(sessionKey: number): number | null {
    const { from, to } = documentIds(sessionKey);
    const id = this.#ids[this.#firstFrom(from)];
    return id !== undefined && id < to ? id : null;
  }

  /** Position of the first id that is not smaller. */
  #firstFrom(id: number): number {
    let low = 0;
    let high = this.#ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ids[middle] ?? Infinity) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
