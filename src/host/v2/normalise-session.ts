/** Session.Info of OpenCode 2.x to the session model. Times are epoch milliseconds on the wire too. */

import { fieldsOf, idOf, isFields, nameOf, numberOf, textOf, timeOf } from "../fields.ts";
import type { MessageError, ModelRef, Session, TokenCounts } from "../../session/session.ts";
import { GLOBAL_PROJECT } from "../../session/session.ts";

/** @returns null when the value has no id: then it is no session */
export function normaliseSession(given: unknown): Session | null {
  const info = fieldsOf(given);
  const id = idOf(info["id"]);
  if (id === null) return null;
  const time = fieldsOf(info["time"]);
  const createdAt = timeOf(time["created"]) ?? 0;
  return {
    id,
    source: "v2",
    projectId: nameOf(info["projectID"]) ?? GLOBAL_PROJECT,
    // 2.x has a location; the builds before 2.0.0 had the directory itself.
    directory: nameOf(fieldsOf(info["location"])["directory"]) ?? textOf(info["directory"]) ?? "",
    parentId: nameOf(info["parentID"]),
    forkedFromId: nameOf(fieldsOf(info["fork"])["sessionID"]),
    title: textOf(info["title"]) ?? "",
    createdAt,
    // New messages do not move `updated`; the end of a turn moves `idle`.
    updatedAt: Math.max(createdAt, timeOf(time["updated"]) ?? 0, timeOf(time["idle"]) ?? 0),
    archivedAt: timeOf(time["archived"]),
    revert: normaliseRevert(info["revert"]),
    agent: nameOf(info["agent"]),
    model: normaliseModel(info["model"]),
    cost: numberOf(info["cost"]),
    tokens: normaliseTokens(info["tokens"]),
  };
}

function normaliseRevert(given: unknown): Session["revert"] {
  const revert = fieldsOf(given);
  const messageId = nameOf(revert["messageID"]);
  return messageId === null ? null : { messageId, partId: nameOf(revert["partID"]) };
}

export function normaliseModel(given: unknown): ModelRef | null {
  const model = fieldsOf(given);
  const modelId = nameOf(model["id"]) ?? nameOf(model["modelID"]);
  return modelId === null ? null : { providerId: nameOf(model["providerID"]) ?? "", modelId };
}

export function normaliseTokens(given: unknown): TokenCounts | null {
  if (!isFields(given)) return null;
  const cache = fieldsOf(given["cache"]);
  return {
    input: numberOf(given["input"]) ?? 0,
    output: numberOf(given["output"]) ?? 0,
    reasoning: numberOf(given["reasoning"]) ?? 0,
    cacheRead: numberOf(cache["read"]) ?? 0,
    cacheWrite: numberOf(cache["write"]) ?? 0,
  };
}

/** `{type, message, status?}`; null when there is no error at all. */
export function normaliseError(given: unknown): MessageError | null {
  if (typeof given === "string" && given !== "") return plainError(given);
  if (!isFields(given)) return null;
  return {
    name: nameOf(given["type"]) ?? nameOf(given["name"]) ?? nameOf(given["_tag"]) ?? "unknown",
    message: textOf(given["message"]) ?? "",
    statusCode: numberOf(given["status"]),
    isRetryable: null,
  };
}

export function plainError(message: string): MessageError {
  return { name: "unknown", message, statusCode: null, isRetryable: null };
}
