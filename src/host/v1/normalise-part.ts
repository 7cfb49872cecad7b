/** Normalise part: one part of a message of OpenCode 1.18. A part of unknown type or shape is kept whole. */

import type { FilePart, Part, ToolPart, ToolStatus } from "../../session/session.ts";
import type { Fields } from "../fields.ts";
import { fieldsOf, isFields, listOf, nameOf, textOf, timeOf } from "../fields.ts";

/** Never throws; whatever cannot be read as its type becomes an unknown part. */
export function normalisePart(value: unknown): Part {
  const part = fieldsOf(value);
  const id = nameOf(part["id"]);
  const nativeType = nameOf(part["type"]) ?? "unknown";
  switch (nativeType) {
    case "text":
      return { type: "text", id, text: textOf(part["text"]) ?? "", synthetic: part["synthetic"] === true };
    case "reasoning":
      return { type: "reasoning", id, text: textOf(part["text"]) ?? "" };
    case "tool":
      return toolPart(id, part) ?? { type: "unknown", id, nativeType, value };
    case "file":
      return filePart(id, part);
    case "subtask":
      return {
        type: "subtask",
        id,
        agent: textOf(part["agent"]) ?? "",
        prompt: textOf(part["prompt"]) ?? "",
        description: textOf(part["description"]) ?? "",
      };
    case "patch":
      return { type: "patch", id, files: listOf(part["files"]).filter((file) => typeof file === "string") };
    case "compaction":
      return { type: "compaction", id, auto: part["auto"] === true };
    case "agent":
      return { type: "agent", id, name: textOf(part["name"]) ?? "" };
    case "step-start":
    case "step-finish":
    case "snapshot":
    case "retry":
      return { type: "step", id, nativeType };
    default:
      return { type: "unknown", id, nativeType, value };
  }
}

function filePart(id: string | null, part: Fields): FilePart {
  return {
    type: "file",
    id,
    filename: nameOf(part["filename"]),
    mime: nameOf(part["mime"]) ?? "application/octet-stream",
    url: textOf(part["url"]),
  };
}

function toolPart(id: string | null, part: Fields): ToolPart | null {
  const tool = nameOf(part["tool"]);
  const state = fieldsOf(part["state"]);
  const status = statusOf(state["status"]);
  if (tool === null || status === null) return null;
  const time = fieldsOf(state["time"]);
  return {
    type: "tool",
    id,
    callId: nameOf(part["callID"]),
    tool,
    status,
    input: fieldsOf(state["input"]),
    output: status === "completed" ? asText(state["output"]) : "",
    error: status === "error" ? asText(state["error"]) : null,
    title: nameOf(state["title"]),
    metadata: fieldsOf(state["metadata"]),
    attachments: listOf(state["attachments"])
      .filter(isFields)
      .map((file) => filePart(nameOf(file["id"]), file)),
    startedAt: timeOf(time["start"]),
    endedAt: timeOf(time["end"]),
  };
}

function statusOf(value: unknown): ToolStatus | null {
  return value === "pending" || value === "running" || value === "completed" || value === "error" ? value : null;
}

/** Outputs are strings; whatever else a tool of another plugin left there is shown as JSON rather than lost. */
function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
