/**
 * Fingerprint and digest: short strings that differ when a session's listing entry, or a message, differs from what
 * was stored. Both are made of the normalised model, so they do not depend on a host's key order.
 */

import { createHash } from "node:crypto";

import type { Message, Session } from "./session.ts";

/**
 * Fingerprint of a session as a listing shows it. Hosts do not move `updatedAt` on a rename, on archiving or on a
 * revert, so those are part of it; the source is, because 1.18 and 2.x may feed one index.
 * @returns 22 characters
 */
export function sessionFingerprint(session: Session): string {
  const { title, projectId, directory, archivedAt, updatedAt, source, parentId, revert } = session;
  return digest({ title, projectId, directory, archivedAt, updatedAt, source, parentId, revert });
}

/**
 * Digest of all that a message holds.
 * @returns 22 characters
 */
export function messageDigest(message: Message): string {
  return digest(message);
}

/** UTF-16 units gathered before they are hashed: one call for a small value, no second copy of a large one. */
const BATCH = 64 * 1024;

function digest(value: unknown): string {
  const hash = createHash("sha256");
  let batch = "";
  for (const token of tokens(value)) {
    batch += token;
    if (batch.length < BATCH) continue;
    hash.update(batch);
    batch = "";
  }
  return hash.update(batch).digest("base64url").slice(0, 22);
}

/**
 * A JSON-like value as text that no other value gives: each thing with its kind and its size before it, keys in
 * order. Strings go in as they are, since escaping megabytes costs more than hashing them. Without recursion: a
 * model's JSON may be nested any depth.
 */
function* tokens(root: unknown): Generator<string> {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") {
      yield `s${value.length}:`;
      yield value;
    } else if (Array.isArray(value)) {
      yield `a${value.length}:`;
      for (const item of value.toReversed()) pending.push(item);
    } else if (typeof value === "object" && value !== null) {
      const entries = Object.entries(value).filter(([, item]) => item !== undefined);
      yield `o${entries.length}:`;
      for (const [key, item] of entries.sort(([a], [b]) => (a < b ? 1 : -1))) pending.push(item, key);
    } else {
      yield `v${String(value)};`;
    }
  }
}
