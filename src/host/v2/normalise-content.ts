/** The content of an assistant message of OpenCode 2.x to parts. Parts have no ids there; tool calls have. */

import type { Fields } from "../fields.ts";
import { fieldsOf, isFields, listOf, nameOf, textOf, timeOf } from "../fields.ts";
import type { FilePart, Part, ToolPart, ToolStatus } from "../../session/session.ts";
import { normaliseError } from "./normalise-session.ts";

/** Never throws and drops nothing: content of a type that is not known comes out as an unknown part. */
export function normaliseContent(given: unknown): Part {
  const content = fieldsOf(given);
  switch (content["type"]) {
    case "text":
      return { type: "text", id: null, text: textOf(content["text"]) ?? "", synthetic: false };
    case "reasoning":
      return { type: "reasoning", id: null, text: textOf(content["text"]) ?? "" };
    case "tool":
      return normaliseTool(content);
    default:
      return unknownPart(given);
  }
}

export function unknownPart(value: unknown): Part {
  return { type: "unknown", id: null, nativeType: nameOf(fieldsOf(value)["type"]) ?? "unknown", value };
}

/** A file beside a prompt, or one that a tool returned. */
export function normaliseFile(given: unknown): FilePart {
  const file = fieldsOf(given);
  return {
    type: "file",
    id: null,
    filename: nameOf(file["name"]) ?? nameOf(file["filename"]),
    mime: nameOf(file["mime"]) ?? "application/octet-stream",
    url: textOf(file["uri"]) ?? textOf(file["url"]),
  };
}

/** "streaming" was called "pending" before 2.0.0: the model is still writing the input. */
const STATUS: ReadonlyMap<unknown, ToolStatus> = new Map([
  ["streaming", "pending"],
  ["pending", "pending"],
  ["running", "running"],
  ["completed", "completed"],
  ["error", "error"],
]);

function normaliseTool(content: Fields): ToolPart {
  const state = fieldsOf(content["state"]);
  const time = fieldsOf(content["time"]);
  const status = STATUS.get(state["status"]) ?? "pending";
  const result = listOf(state["content"]);
  const text = resultText(result);
  return {
    type: "tool",
    id: null,
    callId: nameOf(content["id"]) ?? nameOf(content["callID"]),
    tool: nameOf(content["name"]) ?? "unknown",
    status,
    input: toolInput(state["input"]),
    output: status === "completed" ? text : "",
    error: status === "error" ? errorText(state["error"], text) : null,
    title: null,
    // Before 2.0.0 metadata was called `structured`.
    metadata: fieldsOf(state["metadata"] ?? state["structured"]),
    attachments: result.filter((item) => fieldsOf(item)["type"] === "file").map((item) => normaliseFile(item)),
    startedAt: timeOf(time["ran"]) ?? timeOf(time["created"]),
    endedAt: timeOf(time["completed"]),
  };
}

/** An object; while the model writes it, a string of unfinished JSON, kept under a name of its own. */
function toolInput(given: unknown): Fields {
  if (isFields(given)) return given;
  return typeof given === "string" && given !== "" ? { unfinished: given } : {};
}

function resultText(result: readonly unknown[]): string {
  return result
    .map((item) => fieldsOf(item))
    .filter((item) => item["type"] === "text")
    .map((item) => textOf(item["text"]) ?? "")
    .join("\n");
}

/** A failed call may have content beside its error: what a command printed before it failed. */
function errorText(error: unknown, text: string): string {
  const message = normaliseError(error)?.message ?? "";
  return text === "" || text === message ? message : `${message}\n${text}`.trimStart();
}
