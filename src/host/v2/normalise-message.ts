/**
 * Messages of OpenCode 2.x to the session model. There a message is of one of a dozen types, and only two of them are
 * somebody's words; the others keep their place in the order, with no role.
 */

import { isAbsolute, join } from "node:path";

import type { Fields } from "../fields.ts";
import { booleanOf, fieldsOf, idOf, isFields, listOf, nameOf, numberOf, textOf, timeOf } from "../fields.ts";
import type { Message, Part, ToolPart } from "../../session/session.ts";
import { normaliseContent, normaliseFile, unknownPart } from "./normalise-content.ts";
import { normaliseError, normaliseModel, normaliseTokens, plainError } from "./normalise-session.ts";

/** The session a message belongs to: 2.x does not repeat it in the message. */
export interface MessageHome {
  readonly sessionId: string;
  /** What relative paths in snapshots start from. */
  readonly directory: string;
}

type Meaning = Pick<Message, "role" | "isSummary" | "error" | "parts">;

/**
 * Never throws; a message of a type that is not known is kept whole, as an unknown part.
 * @returns null when the value has no id: then it is no message
 */
export function normaliseMessage(given: unknown, home: MessageHome): Message | null {
  const native = fieldsOf(given);
  const id = idOf(native["id"]);
  if (id === null) return null;
  const time = fieldsOf(native["time"]);
  return {
    id,
    sessionId: home.sessionId,
    nativeType: nameOf(native["type"]) ?? "unknown",
    createdAt: timeOf(time["created"]) ?? 0,
    completedAt: timeOf(time["completed"]),
    parentId: null,
    agent: nameOf(native["agent"]),
    model: normaliseModel(native["model"]),
    cost: numberOf(native["cost"]),
    tokens: normaliseTokens(native["tokens"]),
    finish: nameOf(native["finish"]),
    ...meaningOf(native, home),
  };
}

/** Whether a message's paths need the directory of its session. */
export function hasSnapshotFiles(given: unknown): boolean {
  return listOf(fieldsOf(fieldsOf(given)["snapshot"])["files"]).length > 0;
}

const SILENT = { role: null, isSummary: false, error: null } as const;

function meaningOf(native: Fields, home: MessageHome): Meaning {
  switch (native["type"]) {
    case "user":
      return { ...SILENT, role: "user", parts: userParts(native) };
    case "assistant":
      return {
        ...SILENT,
        role: "assistant",
        error: normaliseError(native["error"]),
        parts: assistantParts(native, home.directory),
      };
    case "synthetic":
    case "system":
    case "skill":
      return { ...SILENT, parts: hostText(native["text"]) };
    case "shell":
      return { ...SILENT, parts: [shellCall(native)] };
    case "compaction":
      return compaction(native);
    case "agent-switched":
    case "model-switched":
    case "location-switched":
      return { ...SILENT, parts: [step(native)] };
    case "idle":
      return { ...SILENT, error: outcomeError(native), parts: [step(native)] };
    default:
      return { ...SILENT, parts: [unknownPart(native)] };
  }
}

function userParts(native: Fields): Part[] {
  const text = textOf(native["text"]) ?? "";
  return [
    ...(text === "" ? [] : [{ type: "text", id: null, text, synthetic: false } as const]),
    ...listOf(native["files"]).map((file) => normaliseFile(file)),
    ...listOf(native["agents"]).map((agent): Part => {
      return { type: "agent", id: null, name: textOf(agent) ?? textOf(fieldsOf(agent)["name"]) ?? "" };
    }),
    ...listOf(native["skills"]).map((skill): Part => {
      return { type: "unknown", id: null, nativeType: "skill", value: skill };
    }),
  ];
}

function assistantParts(native: Fields, directory: string): Part[] {
  const parts = listOf(native["content"]).map((content) => normaliseContent(content));
  if (isFields(native["retry"])) parts.push({ type: "step", id: null, nativeType: "retry" });
  const files = listOf(fieldsOf(native["snapshot"])["files"]).flatMap((file) => nameOf(file) ?? []);
  if (files.length > 0) {
    parts.push({ type: "patch", id: null, files: files.map((file) => absolutePath(directory, file)) });
  }
  return parts;
}

/** `C:\x` counts as absolute on every platform: a history may have been written on another one. */
function absolutePath(directory: string, file: string): string {
  return isAbsolute(file) || /^[A-Za-z]:[/\\]/u.test(file) ? file : join(directory, file);
}

function hostText(given: unknown): Part[] {
  const text = textOf(given) ?? "";
  return text === "" ? [] : [{ type: "text", id: null, text, synthetic: true }];
}

function step(native: Fields): Part {
  return { type: "step", id: null, nativeType: nameOf(native["type"]) ?? "unknown" };
}

/** A command that a person ran in the session: shown as the tool call that 1.18 makes of it. */
function shellCall(native: Fields): ToolPart {
  const time = fieldsOf(native["time"]);
  const output = fieldsOf(native["output"]);
  const running = native["status"] === "running";
  return {
    type: "tool",
    id: null,
    callId: nameOf(native["shellID"]),
    tool: "shell",
    status: running ? "running" : "completed",
    input: { command: textOf(native["command"]) ?? "" },
    output: running ? "" : (textOf(output["output"]) ?? ""),
    error: null,
    title: null,
    metadata: {
      status: textOf(native["status"]),
      exit: numberOf(native["exit"]),
      truncated: booleanOf(output["truncated"]),
    },
    attachments: [],
    startedAt: timeOf(time["created"]),
    endedAt: timeOf(time["completed"]),
  };
}

/** `recent` repeats the latest messages word for word and is left out: they are messages of the session already. */
function compaction(native: Fields): Meaning {
  return {
    role: null,
    isSummary: native["status"] === "completed",
    error: native["status"] === "failed" ? (normaliseError(native["error"]) ?? plainError("Compaction failed")) : null,
    parts: [{ type: "compaction", id: null, auto: native["reason"] === "auto" }, ...hostText(native["summary"])],
  };
}

function outcomeError(native: Fields): Message["error"] {
  if (native["outcome"] !== "failed") return null;
  return normaliseError(native["error"]) ?? plainError("The turn failed");
}
