/**
 * Fingerprint and digest: short strings that differ when a session's listing entry, or a message, differs from what
 * was stored. Both are made of the normalised model, so they do not depend on a host's key order.
 */

import { createHash, type Hash } from "node:crypto";

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

function digest(value: unknown): string {
  const hash = createHash("sha256");
  hashValue(hash, value);
  return hash.digest("base64url").slice(0, 22);
}

/**
 * Feeds a JSON-like value to a hash. Every text goes in with its kind and length before it, so that no two values
 * give the same bytes; texts go in as they are, because escaping megabytes costs more than hashing them.
 */
function hashValue(hash: Hash, value: unknown): void {
  if (typeof value === "string") {
    hash.update(`s${value.length}:`).update(value);
  } else if (Array.isArray(value)) {
    hash.update(`a${value.length}:`);
    for (const item of value) hashValue(hash, item);
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    hash.update(`o${entries.length}:`);
    for (const [key, item] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) {
      hashValue(hash, key);
      hashValue(hash, item);
    }
  } else {
    hash.update(`v${String(value)};`);
  }
}
