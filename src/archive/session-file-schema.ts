/**
 * Session file schema: reads what stands in a file into the types of the format. People may edit their files, so a
 * field that is missing or of another type counts as absent; only what makes it a session file is insisted on.
 */

import { z } from "zod";

import type { SessionHeader, SessionTail } from "./session-file.ts";

const text = z.string();
const textOrNull = z.string().nullable().catch(null);
const numberOrNull = z.number().nullable().catch(null);
const time = z.string().refine((value) => !Number.isNaN(Date.parse(value)));
const timeOrNull = time.nullable().catch(null);
const counts = z.record(z.string(), z.number()).catch({});
const tokens = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
const todo = z.object({ content: text, status: text.catch(""), priority: textOrNull });

/** Items of a list that are not of its kind are left out. */
const listOf = <T>(item: z.ZodType<T>) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((items) => items.flatMap((given) => asList(item.safeParse(given))));
const asList = <T>(parsed: z.ZodSafeParseResult<T>): T[] => (parsed.success ? [parsed.data] : []);

const header = z.object({
  _id: text.min(1),
  title: text.catch(""),
  startedAt: time,
  updatedAt: time,
  compactedAt: timeOrNull,
  parentId: textOrNull,
  subSessions: listOf(text),
  deletedAt: timeOrNull,
  archivedAt: timeOrNull,
  forkedFromId: textOrNull,
  recovered: z.boolean().catch(false),
  source: z.enum(["v1", "v2"]).nullable().catch(null),
  projectId: textOrNull,
  directory: textOrNull,
  agent: textOrNull,
  model: textOrNull,
  cost: numberOrNull,
  tokens: tokens.nullable().catch(null),
  revert: z.object({ messageId: text, partId: textOrNull }).nullable().catch(null),
  git: z.object({ branch: textOrNull, commit: textOrNull }).nullable().catch(null),
  todos: listOf(todo),
  redactions: counts,
  sync: z
    .object({ stamp: z.number(), complete: z.boolean(), fingerprint: textOrNull, settings: text.catch("") })
    .catch({ stamp: 0, complete: false, fingerprint: null, settings: "" }),
});

const asked = z.object({
  type: z.literal("asked"),
  timestamp: time,
  requestId: text,
  permission: text,
  command: textOrNull,
  question: textOrNull,
});
const replied = z.object({
  type: z.literal("replied"),
  timestamp: time,
  requestId: text,
  permission: textOrNull,
  reply: z.enum(["once", "always", "reject"]),
  allowed: z.boolean(),
});
const error = z.object({
  timestamp: time,
  name: text,
  message: text,
  statusCode: numberOrNull,
  sessionID: text,
  messageId: textOrNull,
  attempt: z.number().optional().catch(undefined),
});
const tail = z.object({ permissions: listOf(z.union([asked, replied])), errors: listOf(error) });

/** null when the value lacks what every session file has: an id and sound times. */
export function asHeader(value: unknown): SessionHeader | null {
  const parsed = header.safeParse(value);
  return parsed.success ? parsed.data : null;
}

export function asTail(value: unknown): SessionTail | null {
  const parsed = tail.safeParse(value);
  if (!parsed.success) return null;
  const errors = parsed.data.errors.map(({ attempt, ...rest }) =>
    attempt === undefined ? rest : { ...rest, attempt },
  );
  return { permissions: parsed.data.permissions, errors };
}

export function asCounts(value: unknown): Readonly<Record<string, number>> {
  return counts.parse(value);
}
