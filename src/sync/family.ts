/** Family: which sessions are children of which. A host that deletes a parent deletes its children, and need not say so. */

import type { Session } from "../session/session.ts";

export class Family {
  readonly #children = new Map<string, Set<string>>();

  note(session: Session): void {
    if (session.parentId === null) return;
    const children = this.#children.get(session.parentId);
    if (children === undefined) this.#children.set(session.parentId, new Set([session.id]));
    else children.add(session.id);
  }

  /** Takes the known children of a session that is gone; they are forgotten here. */
  takeChildren(sessionId: string): ReadonlySet<string> {
    const children = this.#children.get(sessionId);
    this.#children.delete(sessionId);
    return children ?? new Set();
  }
}
