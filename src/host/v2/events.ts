/**
 * Events of OpenCode 2.x to host events. The names drifted over the releases and will again, so the rule is the robust
 * one: whatever concerns a session, and is not a mere fragment of text, marks that session as changed. The events
 * named below say more than that.
 */

import type { Fields } from "../fields.ts";
import { fieldsOf, isFields, listOf, nameOf, numberOf, textOf } from "../fields.ts";
import type { HostEvent } from "../host.ts";
import { normaliseError, normaliseSession, plainError } from "./normalise-session.ts";
import type { RawEvent } from "./raw-event.ts";

/**
 * What an event means; none for fragments (`.delta`, `.progress`) and for what concerns no session.
 * @param now epoch milliseconds, for events that carry no time
 */
export function translateEvent(event: RawEvent, now: number): HostEvent[] {
  const { type, sessionId } = event;
  if (sessionId === null || type.endsWith(".delta") || type.endsWith(".progress")) return [];
  const subject: Subject = { sessionId, at: event.created ?? now, data: event.data };
  if (type.startsWith("permission.")) return permissionEvent(type, subject);
  if (!type.startsWith("session.")) return [];
  return meanings.get(type)?.(subject) ?? [changed(subject)];
}

interface Subject {
  readonly sessionId: string;
  readonly at: number;
  readonly data: Fields;
}

type Meaning = (subject: Subject) => HostEvent[];

/** Something in the session; its assistant message where the event names one. */
function changed({ sessionId, data }: Subject): HostEvent {
  return { type: "message-changed", sessionId, messageId: nameOf(data["assistantMessageID"]) };
}

const sessionChanged: Meaning = ({ sessionId }) => [{ type: "session-changed", sessionId, session: null }];
const busy: Meaning = ({ sessionId }) => [{ type: "session-busy", sessionId }];
const idle: Meaning = ({ sessionId }) => [{ type: "session-idle", sessionId }];

const toolFinished: Meaning = (subject) => [
  changed(subject),
  { type: "tool-finished", sessionId: subject.sessionId, messageId: nameOf(subject.data["assistantMessageID"]) },
];

const failed: Meaning = ({ sessionId, at, data }) => [
  {
    type: "session-error",
    sessionId,
    at,
    error: normaliseError(data["error"]) ?? plainError("The turn failed"),
  },
];

/** The messages from the boundary on are gone: all are compared, because only the boundary is named. */
const revertCommitted: Meaning = (subject) => {
  const messageId = nameOf(subject.data["to"]);
  if (messageId === null) return sessionChanged(subject);
  return [{ type: "message-removed", sessionId: subject.sessionId, messageId }];
};

const retry = (subject: Subject, status: Fields): HostEvent => ({
  type: "session-retry",
  sessionId: subject.sessionId,
  at: subject.at,
  attempt: numberOf(status["attempt"]) ?? 0,
  message: normaliseError(status["error"])?.message ?? textOf(status["message"]) ?? "",
});

const status: Meaning = (subject) => {
  const given = fieldsOf(subject.data["status"]);
  switch (given["type"]) {
    case "busy":
      return busy(subject);
    case "idle":
      return idle(subject);
    case "retry":
      return [retry(subject, given)];
    default:
      return [changed(subject)];
  }
};

const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ["session.created", ({ sessionId, data }) => [{ type: "session-created", sessionId, session: createdSession(data) }]],
  ["session.deleted", ({ sessionId, at }) => [{ type: "session-deleted", sessionId, at }]],
  ["session.renamed", sessionChanged],
  ["session.moved", sessionChanged],
  ["session.updated", sessionChanged],
  ["session.agent.selected", sessionChanged],
  ["session.model.selected", sessionChanged],
  ["session.metadata.updated", sessionChanged],
  ["session.permissions", sessionChanged],
  ["session.viewed", sessionChanged],
  ["session.revert.staged", sessionChanged],
  ["session.revert.cleared", sessionChanged],
  ["session.revert.committed", revertCommitted],
  ["session.execution.started", busy],
  ["session.execution.succeeded", idle],
  ["session.execution.interrupted", idle],
  ["session.execution.failed", (subject) => [...failed(subject), ...idle(subject)]],
  ["session.idle", idle],
  ["session.status", status],
  ["session.tool.success", toolFinished],
  ["session.tool.failed", toolFinished],
  ["session.retry.scheduled", (subject) => [retry(subject, subject.data), changed(subject)]],
  ["session.compaction.ended", ({ sessionId, at }) => [{ type: "session-compacted", sessionId, at }]],
  ["session.compaction.failed", (subject) => [...failed(subject), changed(subject)]],
]);

/** Builds before 2.0.0 send the whole session along. */
function createdSession(data: Fields): ReturnType<typeof normaliseSession> {
  return isFields(data["info"]) ? normaliseSession(data["info"]) : null;
}

/** "permission.v2.asked" before 2.0.0, "permission.asked" since. Prompts are stored nowhere: this is their one trace. */
function permissionEvent(type: string, { sessionId, at, data }: Subject): HostEvent[] {
  if (type.endsWith(".asked")) {
    const requestId = nameOf(data["id"]) ?? nameOf(data["requestID"]);
    if (requestId === null) return [];
    const resources = listOf(data["resources"]).flatMap((resource) => nameOf(resource) ?? []);
    return [
      {
        type: "permission-asked",
        sessionId,
        at,
        requestId,
        permission: nameOf(data["action"]) ?? nameOf(data["permission"]) ?? "unknown",
        command: resources.length === 0 ? null : oneLine(resources.join(" ")),
        question: nameOf(data["message"]),
      },
    ];
  }
  const requestId = nameOf(data["requestID"]) ?? nameOf(data["id"]);
  const reply = data["reply"];
  if (!type.endsWith(".replied") || requestId === null) return [];
  if (reply !== "once" && reply !== "always" && reply !== "reject") return [];
  return [{ type: "permission-replied", sessionId, at, requestId, reply }];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/gu, " ");
}
