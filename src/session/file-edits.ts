/** File edits: which files a message changed, and which tools it called. */

import { resolvePath } from "./file-path.ts";
import { HISTORY_TOOLS, type Message, type Session, type ToolPart } from "./session.ts";

export interface FileEdit {
  /** Absolute and normalised (session/file-path.ts). */
  readonly path: string;
  /** The tool that was called, or "snapshot" when only the host's snapshot saw the change. */
  readonly tool: string;
  /** Epoch milliseconds. */
  readonly time: number;
}

/** The name under which changes are listed that no tool call accounts for, such as those of a shell command. */
export const SNAPSHOT_TOOL = "snapshot";

/** Tools that write files, in the spellings of OpenCode 1.18 and 2.x. */
const EDIT_TOOLS: ReadonlySet<string> = new Set(["write", "edit", "multiedit", "apply_patch", "patch"]);
/** Argument names that hold one path, in the order in which they are trusted. */
const PATH_ARGUMENTS = ["filePath", "file_path", "path", "file"];
/** Argument names that hold a patch in the `*** Begin Patch` form. */
const PATCH_ARGUMENTS = ["patchText", "patch", "input"];
const PATCH_HEADER = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gmu;

/**
 * The files that a message changed: those of its completed edit calls, then those that only the host's snapshots
 * name. Each path once, at its first call.
 */
export function fileEdits(message: Message, session: Pick<Session, "directory">): FileEdit[] {
  const edits = new Map<string, FileEdit>();
  const add = (path: string, tool: string, time: number): void => {
    const absolute = resolvePath(session.directory, path);
    if (!edits.has(absolute)) edits.set(absolute, { path: absolute, tool, time });
  };
  const messageTime = message.completedAt ?? message.createdAt;
  for (const part of message.parts) {
    if (part.type !== "tool" || part.status !== "completed" || !EDIT_TOOLS.has(part.tool)) continue;
    for (const path of editedPaths(part)) add(path, part.tool, part.endedAt ?? part.startedAt ?? messageTime);
  }
  for (const part of message.parts) {
    if (part.type !== "patch") continue;
    for (const path of part.files) add(path, SNAPSHOT_TOOL, messageTime);
  }
  return [...edits.values()];
}

function editedPaths(part: ToolPart): string[] {
  const named = pathArgument(part.input);
  const edits = Array.isArray(part.input["edits"]) ? part.input["edits"] : [];
  return [
    ...(named === null ? [] : [named]),
    ...edits.flatMap((edit: unknown) => (isRecord(edit) ? (pathArgument(edit) ?? []) : [])),
    ...PATCH_ARGUMENTS.flatMap((name) => patchedPaths(part.input[name])),
  ];
}

function pathArgument(input: Readonly<Record<string, unknown>>): string | null {
  for (const name of PATH_ARGUMENTS) {
    const value = input[name];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return null;
}

function patchedPaths(patch: unknown): string[] {
  if (typeof patch !== "string") return [];
  return Array.from(patch.matchAll(PATCH_HEADER), ([, path]) => path?.trim() ?? "").filter((path) => path !== "");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/**
 * Whether a tool call is one of this product's own, also when the host stored it as a call of its "invalid" tool
 * because the arguments were not JSON (1.18).
 */
export function isHistoryCall(part: ToolPart): boolean {
  if (HISTORY_TOOLS.includes(part.tool)) return true;
  const intended = part.input["tool"];
  return part.tool === "invalid" && typeof intended === "string" && HISTORY_TOOLS.includes(intended);
}

/** The names of the tools a message called, each once, without this product's own. */
export function toolNames(message: Message): string[] {
  const names = message.parts.flatMap((part) => (part.type === "tool" && !isHistoryCall(part) ? [part.tool] : []));
  return [...new Set(names)];
}
