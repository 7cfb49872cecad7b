/** Troubles: what keeps the index from being whole or durable, in sentences for the person who reads an answer. */

import { SqliteError, type SqliteErrorCode } from "../sqlite/database.ts";

/** What is wrong; each kind is said once at a time. */
export type TroubleKind = "memory" | "scan" | "write" | "size";

export class Troubles {
  readonly #sentences = new Map<TroubleKind, string>();

  note(kind: TroubleKind, sentence: string): void {
    this.#sentences.set(kind, sentence);
  }

  clear(kind: TroubleKind): void {
    this.#sentences.delete(kind);
  }

  list(): readonly string[] {
    return [...this.#sentences.values()];
  }
}

const FAILURES: Partial<Record<SqliteErrorCode, string>> = {
  busy: "another process holds it locked",
  "read-only": "it may only be read",
  full: "the disk is full",
  io: "reading or writing it failed",
  "cannot-open": "it cannot be opened",
  corrupt: "it is damaged again and again",
  "not-a-database": "it is damaged again and again",
};

/** Codes of the file system that say in which way a place cannot be used. */
const FILE_FAILURES: ReadonlyMap<string, string> = new Map([
  ["EACCES", "its folder may not be written"],
  ["EPERM", "its folder may not be written"],
  ["EROFS", "its folder may not be written"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota is used up"],
  ["ENOTDIR", "its folder is not a folder"],
  ["EEXIST", "its folder is not a folder"],
]);

/** Why a file cannot be used, as the end of a sentence; null for an error that says nothing about the file. */
export function describeFailure(error: unknown): string | null {
  if (error instanceof SqliteError) return FAILURES[error.code] ?? null;
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    return FILE_FAILURES.get(error.code) ?? error.code;
  }
  return null;
}
