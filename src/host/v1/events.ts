/** Events: what the `event` hook of OpenCode 1.18 delivers, as events of the host port. */

import type { HostEvent } from "../host.ts";
import type { Fields } from "../fields.ts";
import { fieldsOf, isFields, listOf, nameOf, numberOf, textOf } from "../fields.ts";
import { normaliseError, normaliseSession } from "./normalise.ts";

/**
 * Translates one event; null for those that say nothing about a session's content: deltas (the whole part follows),
 * diffs, files, plugins, `session.next.*` (prompts of the host's 2.x preview, whose messages 1.18 does not list).
 * @param now epoch milliseconds, for the types that carry no time of their own
 */
export function toHostEvent(value: unknown, now: number): HostEvent | null {
  const event = fieldsOf(value);
  const properties = fieldsOf(event["properties"]);
  const type = textOf(event["type"]) ?? "";
  if (type === "message.part.updated" || type === "message.updated") return messageChanged(properties);
  const sessionId = sessionOf(properties);
  if (sessionId === null) return null;
  switch (type) {
    case "session.created":
      return { type: "session-created", sessionId, session: normaliseSession(properties["info"]) };
    case "session.updated":
      return { type: "session-changed", sessionId, session: normaliseSession(properties["info"]) };
    case "session.deleted":
      return { type: "session-deleted", sessionId, at: now };
    case "session.compacted":
      return { type: "session-compacted", sessionId, at: now };
    case "session.status":
      return statusChanged(sessionId, fieldsOf(properties["status"]), now);
    case "session.idle":
      return { type: "session-idle", sessionId };
    case "session.error":
      return { type: "session-error", sessionId, at: now, error: normaliseError(properties["error"]) };
    case "message.removed":
      return withMessage(properties, (messageId) => ({ type: "message-removed", sessionId, messageId }));
    case "message.part.removed":
      return withMessage(properties, (messageId) => ({ type: "part-removed", sessionId, messageId }));
    case "permission.asked":
    case "permission.updated":
      return permissionAsked(sessionId, properties, now);
    case "permission.replied":
      return permissionReplied(sessionId, properties, now);
    case "todo.updated":
      return { type: "todos-changed", sessionId, todos: listOf(properties["todos"]).filter(isFields).map(todoOf) };
    default:
      return null;
  }
}

/** Session events name the session twice, in `sessionID` and in `info.id`; either will do. */
function sessionOf(properties: Fields): string | null {
  return nameOf(properties["sessionID"]) ?? nameOf(fieldsOf(properties["info"])["id"]);
}

/** The session stands in the properties; in hosts before 1.18 only in the message or the part. */
function messageChanged(properties: Fields): HostEvent | null {
  const info = fieldsOf(properties["info"]);
  const part = fieldsOf(properties["part"]);
  const sessionId = nameOf(properties["sessionID"]) ?? nameOf(info["sessionID"]) ?? nameOf(part["sessionID"]);
  if (sessionId === null) return null;
  return { type: "message-changed", sessionId, messageId: nameOf(info["id"]) ?? nameOf(part["messageID"]) };
}

function withMessage(properties: Fields, make: (messageId: string) => HostEvent): HostEvent | null {
  const messageId = nameOf(properties["messageID"]);
  return messageId === null ? null : make(messageId);
}

function statusChanged(sessionId: string, status: Fields, now: number): HostEvent | null {
  switch (status["type"]) {
    case "busy":
      return { type: "session-busy", sessionId };
    case "idle":
      return { type: "session-idle", sessionId };
    case "retry":
      return {
        type: "session-retry",
        sessionId,
        at: now,
        attempt: numberOf(status["attempt"]) ?? 0,
        message: textOf(status["message"]) ?? "",
      };
    default:
      return null;
  }
}

/** `permission.updated` was the name before `permission.asked`, with `type`, `pattern` and a `title`. */
function permissionAsked(sessionId: string, properties: Fields, now: number): HostEvent | null {
  const requestId = nameOf(properties["id"]);
  if (requestId === null) return null;
  const metadata = fieldsOf(properties["metadata"]);
  const pattern = properties["patterns"] ?? properties["pattern"];
  const patterns = (Array.isArray(pattern) ? pattern : [pattern]).filter((item) => typeof item === "string");
  return {
    type: "permission-asked",
    sessionId,
    at: now,
    requestId,
    permission: nameOf(properties["permission"]) ?? nameOf(properties["type"]) ?? "unknown",
    command: nameOf(metadata["command"]) ?? nameOf(patterns.join(" ")),
    question: nameOf(metadata["question"]) ?? nameOf(properties["title"]),
  };
}

/** The older generation called the fields `permissionID` and `response`, and the answers "allow" and "deny" too. */
function permissionReplied(sessionId: string, properties: Fields, now: number): HostEvent | null {
  const requestId = nameOf(properties["requestID"]) ?? nameOf(properties["permissionID"]);
  const reply = replyOf(properties["reply"] ?? properties["response"]);
  if (requestId === null || reply === null) return null;
  return { type: "permission-replied", sessionId, at: now, requestId, reply };
}

function replyOf(value: unknown): "once" | "always" | "reject" | null {
  if (value === "once" || value === "always" || value === "reject") return value;
  if (value === "allow") return "once";
  return value === "deny" ? "reject" : null;
}

function todoOf(todo: Fields): { content: string; status: string; priority: string | null } {
  return {
    content: textOf(todo["content"]) ?? "",
    status: textOf(todo["status"]) ?? "",
    priority: nameOf(todo["priority"]),
  };
}
