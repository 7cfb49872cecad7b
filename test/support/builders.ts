/**
 * Builders: sessions, messages and parts for tests, complete and plausible, of which a test names only what it is about.
 *
 * Ids are derived from what is given, never from a counter, so that test files which share one module cannot disturb
 * each other.
 */

import type {
  CompactionPart,
  FilePart,
  Message,
  Part,
  PatchPart,
  ReasoningPart,
  Session,
  SubtaskPart,
  TextPart,
  ToolPart,
} from "../../src/session/session.ts";

/** 2026-07-29T10:28:32Z: when built sessions begin unless a test says otherwise. */
export const BUILT_AT = Date.UTC(2026, 6, 29, 10, 28, 32);

export function buildSession(given: Partial<Session> = {}): Session {
  const createdAt = given.createdAt ?? BUILT_AT;
  return {
    id: "ses_1",
    source: "v1",
    projectId: "project-1",
    directory: "/w/app",
    parentId: null,
    forkedFromId: null,
    title: "Fix the login",
    createdAt,
    updatedAt: createdAt + 60_000,
    archivedAt: null,
    revert: null,
    agent: "build",
    model: { providerId: "fake", modelId: "fake" },
    cost: null,
    tokens: null,
    ...given,
  };
}

/** A message of any role; its parts are texts or whole parts. */
export function buildMessage(given: Partial<Omit<Message, "parts">> & { parts?: readonly (Part | string)[] }): Message {
  const role = given.role === undefined ? "user" : given.role;
  const createdAt = given.createdAt ?? BUILT_AT;
  return {
    id: "msg_1",
    sessionId: "ses_1",
    role,
    nativeType: role ?? "unknown",
    createdAt,
    completedAt: role === "assistant" ? createdAt + 1000 : null,
    parentId: null,
    agent: "build",
    model: null,
    cost: null,
    tokens: null,
    finish: role === "assistant" ? "stop" : null,
    isSummary: false,
    error: null,
    ...given,
    parts: (given.parts ?? []).map((part) => (typeof part === "string" ? textPart(part) : part)),
  };
}

export function userMessage(id: string, text: string, given: Partial<Message> = {}): Message {
  return buildMessage({ id, role: "user", parts: [text], ...given });
}

export function assistantMessage(
  id: string,
  parts: readonly (Part | string)[],
  given: Partial<Omit<Message, "parts">> = {},
): Message {
  return buildMessage({ id, role: "assistant", ...given, parts });
}

/**
 * A conversation: user and assistant take turns, a second apart, oldest first, with ids `<prefix>_0001`, `_0002`…
 * @param text what message `index` (from 0) says
 */
export function buildConversation(
  sessionId: string,
  count: number,
  given: { text?: (index: number) => string; startedAt?: number; prefix?: string } = {},
): Message[] {
  const prefix = given.prefix ?? `msg_${sessionId}`;
  const startedAt = given.startedAt ?? BUILT_AT;
  const idOf = (index: number) => `${prefix}_${String(index + 1).padStart(4, "0")}`;
  return Array.from({ length: count }, (_, index) =>
    buildMessage({
      id: idOf(index),
      sessionId,
      role: index % 2 === 0 ? "user" : "assistant",
      createdAt: startedAt + index * 1000,
      parentId: index % 2 === 0 ? null : idOf(index - 1),
      parts: [given.text?.(index) ?? `message ${index + 1} of ${sessionId}`],
    }),
  );
}

export function textPart(text: string, given: Partial<TextPart> = {}): TextPart {
  return { type: "text", id: null, text, synthetic: false, ...given };
}

export function reasoningPart(text: string, given: Partial<ReasoningPart> = {}): ReasoningPart {
  return { type: "reasoning", id: null, text, ...given };
}

/** A completed call unless told otherwise. */
export function toolPart(tool: string, input: ToolPart["input"], given: Partial<ToolPart> = {}): ToolPart {
  return {
    type: "tool",
    id: null,
    callId: "call_1",
    tool,
    status: "completed",
    input,
    output: "",
    error: null,
    title: null,
    metadata: {},
    attachments: [],
    startedAt: BUILT_AT,
    endedAt: BUILT_AT + 500,
    ...given,
  };
}

export function filePart(given: Partial<FilePart> = {}): FilePart {
  return { type: "file", id: null, filename: "a.txt", mime: "text/plain", url: "file:///w/app/a.txt", ...given };
}

export function patchPart(files: readonly string[], given: Partial<PatchPart> = {}): PatchPart {
  return { type: "patch", id: null, files, ...given };
}

export function subtaskPart(prompt: string, given: Partial<SubtaskPart> = {}): SubtaskPart {
  return { type: "subtask", id: null, agent: "general", prompt, description: prompt, ...given };
}

export function compactionPart(given: Partial<CompactionPart> = {}): CompactionPart {
  return { type: "compaction", id: null, auto: false, ...given };
}
