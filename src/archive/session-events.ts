/** Session events: how a record changes by what the host announces and no message holds. */

import type { Masker } from "../redact/mask.ts";
import type { MessageError } from "../session/session.ts";
import { wellFormed } from "../session/well-formed.ts";
import type { ArchiveEvent } from "./archive-event.ts";
import type { PermissionAsked, PermissionReplied, SessionError } from "./session-file.ts";
import type { SessionRecord } from "./session-record.ts";
import { isoTime } from "./turn.ts";

/** An event and a failed message within this time are one error, told twice. */
const SAME_ERROR_MS = 60_000;

/** Takes those events that are facts of their own; the others change nothing here. */
export function applyEvent(record: SessionRecord, event: ArchiveEvent, masker: Masker): void {
  const clean = (text: string) => masker.mask(wellFormed(text)).text;
  const cleanOrNull = (text: string | null) => (text === null ? null : clean(text));
  switch (event.type) {
    case "session-compacted":
      noteCompaction(record, event.at);
      break;
    case "session-error":
      noteError(record, event.at, { ...event.error, message: clean(event.error.message) }, null);
      break;
    case "session-retry":
      noteRetry(record, event.at, event.attempt, clean(event.message));
      break;
    case "permission-asked":
      notePermission(record, {
        type: "asked",
        timestamp: isoTime(event.at) ?? record.header.updatedAt,
        requestId: event.requestId,
        permission: event.permission,
        command: cleanOrNull(event.command),
        question: cleanOrNull(event.question),
      });
      break;
    case "permission-replied":
      notePermission(record, {
        type: "replied",
        timestamp: isoTime(event.at) ?? record.header.updatedAt,
        requestId: event.requestId,
        permission: permissionOf(record, event.requestId),
        reply: event.reply,
        allowed: event.reply !== "reject",
      });
      break;
    case "todos-changed":
      record.updateHeader({ todos: event.todos.map((todo) => ({ ...todo, content: clean(todo.content) })) });
      break;
    case "session-created":
    case "session-changed":
    case "session-busy":
    case "session-idle":
      break;
  }
}

/** Notes that the session was compacted at `at`, unless a later compaction is known. */
export function noteCompaction(record: SessionRecord, at: number): void {
  const time = isoTime(at);
  const known = record.header.compactedAt;
  if (time !== null && (known === null || known < time)) record.updateHeader({ compactedAt: time });
}

/**
 * Notes an error once, although the host tells of it by an event and by the failed message.
 * @param messageId the message that failed; null when it comes from an event
 */
export function noteError(record: SessionRecord, at: number, error: MessageError, messageId: string | null): void {
  const timestamp = isoTime(at) ?? record.header.updatedAt;
  const { name, message, statusCode } = error;
  const entry: SessionError = { timestamp, name, message, statusCode, sessionID: record.id, messageId };
  const errors = record.tail.errors.filter((known) => messageId === null || known.messageId !== messageId);
  const told = errors.findIndex((known) => isSame(known, entry) && (messageId === null || known.messageId === null));
  if (told !== -1 && messageId === null) return;
  if (told !== -1) errors.splice(told, 1);
  const next = [...errors, entry].sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
  if (JSON.stringify(next) !== JSON.stringify(record.tail.errors)) record.updateTail({ errors: next });
}

function isSame(one: SessionError, other: SessionError): boolean {
  return (
    one.name === other.name &&
    one.message === other.message &&
    Math.abs(Date.parse(one.timestamp) - Date.parse(other.timestamp)) < SAME_ERROR_MS
  );
}

function noteRetry(record: SessionRecord, at: number, attempt: number, message: string): void {
  const timestamp = isoTime(at) ?? record.header.updatedAt;
  const known = record.tail.errors.at(-1);
  if (known?.attempt === attempt && known.message === message) return;
  const entry = { timestamp, name: "Retry", message, statusCode: null, sessionID: record.id, messageId: null, attempt };
  record.updateTail({ errors: [...record.tail.errors, entry] });
}

/** A request is asked once and answered once, however often the host says so. */
function notePermission(record: SessionRecord, entry: PermissionAsked | PermissionReplied): void {
  const { permissions } = record.tail;
  if (permissions.some((known) => known.type === entry.type && known.requestId === entry.requestId)) return;
  record.updateTail({ permissions: [...permissions, entry] });
}

function permissionOf(record: SessionRecord, requestId: string): string | null {
  const asked = record.tail.permissions.find((known) => known.type === "asked" && known.requestId === requestId);
  return asked?.permission ?? null;
}
