/**
 * Normalise: payloads of OpenCode 1.18 (`GET /session`, `GET /session/{id}/message`, event properties) to the session
 * model. Never throws: a field that is missing or of another kind takes its neutral value. Only a payload without an
 * id is refused, since nothing could be stored under it.
 */

import type {
  Message,
  MessageError,
  MessageRole,
  ModelRef,
  Revert,
  Session,
  TokenCounts,
} from "../../session/session.ts";
import { GLOBAL_PROJECT } from "../../session/session.ts";
import { booleanOf, fieldsOf, idOf, isFields, listOf, nameOf, numberOf, textOf, timeOf } from "../fields.ts";
import { normalisePart } from "./normalise-part.ts";

/** A row of a session listing, or `properties.info` of a session event; null when it names no session. */
export function normaliseSession(value: unknown): Session | null {
  const info = fieldsOf(value);
  const id = idOf(info["id"]);
  if (id === null) return null;
  const time = fieldsOf(info["time"]);
  const created = timeOf(time["created"]);
  const updated = timeOf(time["updated"]);
  return {
    id,
    source: "v1",
    projectId: nameOf(info["projectID"]) ?? GLOBAL_PROJECT,
    directory: textOf(info["directory"]) ?? "",
    parentId: nameOf(info["parentID"]),
    forkedFromId: null,
    title: textOf(info["title"]) ?? "",
    createdAt: created ?? updated ?? 0,
    updatedAt: updated ?? created ?? 0,
    archivedAt: timeOf(time["archived"]),
    revert: revertOf(info["revert"]),
    agent: nameOf(info["agent"]),
    model: modelOf(info["model"]),
    cost: numberOf(info["cost"]),
    tokens: tokensOf(info["tokens"]),
  };
}

/**
 * One `{info, parts}` pair; null when it names no message.
 * @param sessionId the session that was asked for: stored data names it in a column, not in the payload
 */
export function normaliseMessage(value: unknown, sessionId: string): Message | null {
  const pair = fieldsOf(value);
  const info = fieldsOf(pair["info"]);
  const id = idOf(info["id"]);
  if (id === null) return null;
  const time = fieldsOf(info["time"]);
  const completedAt = timeOf(time["completed"]);
  return {
    id,
    sessionId: nameOf(info["sessionID"]) ?? sessionId,
    role: roleOf(info["role"]),
    nativeType: nameOf(info["role"]) ?? "unknown",
    createdAt: timeOf(time["created"]) ?? completedAt ?? 0,
    completedAt,
    parentId: nameOf(info["parentID"]),
    agent: nameOf(info["agent"]) ?? nameOf(info["mode"]),
    // A user's message holds the model as an object, an assistant's as two fields of its own.
    model: modelOf(info["model"]) ?? modelOf(info),
    cost: numberOf(info["cost"]),
    tokens: tokensOf(info["tokens"]),
    finish: nameOf(info["finish"]),
    // A user's `summary` is an object of diffs: only `true` marks what a compaction wrote.
    isSummary: info["summary"] === true,
    error: isFields(info["error"]) ? normaliseError(info["error"]) : null,
    parts: listOf(pair["parts"]).map(normalisePart),
  };
}

/** An error as messages and `session.error` events carry it: `{name, data: {message, statusCode, isRetryable}}`. */
export function normaliseError(value: unknown): MessageError {
  const error = fieldsOf(value);
  const data = fieldsOf(error["data"]);
  return {
    name: nameOf(error["name"]) ?? "UnknownError",
    message: textOf(data["message"]) ?? textOf(error["message"]) ?? "",
    statusCode: numberOf(data["statusCode"]),
    isRetryable: booleanOf(data["isRetryable"]),
  };
}

function roleOf(value: unknown): MessageRole | null {
  return value === "user" || value === "assistant" ? value : null;
}

/** Sessions call the model's id `id`, messages call it `modelID`. */
function modelOf(value: unknown): ModelRef | null {
  const model = fieldsOf(value);
  const providerId = nameOf(model["providerID"]);
  const modelId = nameOf(model["modelID"]) ?? nameOf(model["id"]);
  return providerId === null || modelId === null ? null : { providerId, modelId };
}

function tokensOf(value: unknown): TokenCounts | null {
  if (!isFields(value)) return null;
  const cache = fieldsOf(value["cache"]);
  return {
    input: numberOf(value["input"]) ?? 0,
    output: numberOf(value["output"]) ?? 0,
    reasoning: numberOf(value["reasoning"]) ?? 0,
    cacheRead: numberOf(cache["read"]) ?? 0,
    cacheWrite: numberOf(cache["write"]) ?? 0,
  };
}

function revertOf(value: unknown): Revert | null {
  const revert = fieldsOf(value);
  const messageId = nameOf(revert["messageID"]);
  return messageId === null ? null : { messageId, partId: nameOf(revert["partID"]) };
}
