/** Session file text: how the format's parts are laid out in lines, printed and read back. */

import { asCounts, asHeader, asTail } from "./session-file-schema.ts";
import type { SessionHeader, SessionTail, TurnHead } from "./session-file.ts";

/** Lines by which the parts of a file are told apart: a JSON string never holds a line break. */
export const MARKS = {
  turns: '\n  "turns": [',
  removedTurns: ',\n  "removedTurns": [',
  turnStart: "    {\n",
  turnBody: '\n      "parts": ',
  turnEnd: "\n    }",
  sectionEnd: "\n  ]",
} as const;

/** The file's text up to the first turn. */
export function headerText(header: SessionHeader): string {
  return `${openObject(inOrder(header), 0)}${MARKS.turns}`;
}

/** The order of keys is part of the format. */
function inOrder(header: SessionHeader): SessionHeader {
  const { _id, title, startedAt, updatedAt, compactedAt, parentId, subSessions, deletedAt, recovered, ...rest } =
    header;
  const { archivedAt, forkedFromId, source, projectId, directory, agent, model, cost, tokens, ...last } = rest;
  const { revert, git, todos, redactions, sync } = last;
  return {
    _id,
    title,
    startedAt,
    updatedAt,
    compactedAt,
    parentId,
    subSessions,
    deletedAt,
    recovered,
    archivedAt,
    forkedFromId,
    source,
    projectId,
    directory,
    agent,
    model,
    cost,
    tokens,
    revert,
    git,
    todos,
    redactions,
    sync,
  };
}

/** The file's text after the last removed turn and its bracket. */
export function tailText(tail: SessionTail): string {
  return `,${JSON.stringify(tail, null, 2).slice(1)}\n`;
}

/** A turn's text up to its body, which begins with the line break of `MARKS.turnBody`. */
export function turnHeadText(head: TurnHead): string {
  return openObject(head, 4);
}

/** An object's text without its end, to be continued by another key. */
function openObject(value: object, indent: number): string {
  const space = " ".repeat(indent);
  return `${space}${JSON.stringify(value, null, 2).slice(0, -2).replaceAll("\n", `\n${space}`)},`;
}

export function parseHeader(text: string): SessionHeader | null {
  return asHeader(parseObject(`${text.replace(/,$/u, "")}\n}`));
}

export function parseTurnHead(text: string): TurnHead | null {
  const value = parseObject(`${text.replace(/,$/u, "")}}`);
  if (value === null) return null;
  const { role, messageId, timestamp, reverted, revertedFromPart, removedAt, redacted, digest } = value;
  if (typeof messageId !== "string" || typeof timestamp !== "string" || Number.isNaN(Date.parse(timestamp)))
    return null;
  return {
    role: role === "user" || role === "assistant" ? role : null,
    messageId,
    timestamp,
    ...(reverted === true ? { reverted } : {}),
    ...(typeof revertedFromPart === "string" ? { revertedFromPart } : {}),
    ...(typeof removedAt === "string" ? { removedAt } : {}),
    ...(isObject(redacted) ? { redacted: asCounts(redacted) } : {}),
    digest: typeof digest === "string" ? digest : null,
  };
}

export function parseTail(text: string): SessionTail | null {
  return asTail(parseObject(`{${text.replace(/^,/u, "")}`));
}

/** null when the text is not one JSON object. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
