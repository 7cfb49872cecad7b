/** Search arguments: what the three searches have in common, from what the model sent to a search request. */

import type { ToolCall } from "../host/host.ts";
import type { Query, QueryNode, TimeRange } from "../query/ast.ts";
import { DATE_FORMS, parseDateRange } from "../query/date-range.ts";
import { parseQuery } from "../query/parser.ts";
import { QueryError } from "../query/query-error.ts";
import type { SearchRequest } from "../search/request.ts";
import type { MessageRole } from "../session/session.ts";
import { ArgumentError, roleArgument, text, whole } from "./arguments.ts";

export const dateArgument = text("Only what happened in this range of local dates.", DATE_FORMS);

/** A limit whose excess is lowered, not refused, so it has no maximum of its own. */
export const limitArgument = (noun: string, standard: number, cap: number): ReturnType<typeof whole> =>
  whole(`How many ${noun} at most.`, `a whole number from 1 to ${cap}; without it ${standard}`, { min: 1, max: null });

export const searchRoleArgument = roleArgument("Only words of messages by this role; titles always count.");

export interface SearchInput {
  readonly query: string;
  readonly role: MessageRole | null;
  readonly date: string | null;
  readonly limit: number | null;
}

export interface Limit {
  readonly standard: number;
  readonly cap: number;
}

export interface PreparedSearch {
  readonly request: SearchRequest;
  /** Lines for the answer: a limit that was lowered. */
  readonly notes: readonly string[];
}

/**
 * @param now the present, for dates like "yesterday"
 * @throws ArgumentError when the date has no known form
 */
export function prepareSearch(input: SearchInput, limit: Limit, call: ToolCall, now: Date): PreparedSearch {
  const asked = input.limit ?? limit.standard;
  return {
    notes: asked > limit.cap ? [`limit was lowered from ${asked} to ${limit.cap}, the most this tool gives.`] : [],
    request: {
      query: parseQuery(input.query),
      role: input.role,
      date: input.date === null ? null : dateRange(input.date, now),
      limit: Math.min(asked, limit.cap),
      asker: {
        sessionId: call.sessionId === "" ? null : call.sessionId,
        projectId: call.projectId,
        directory: call.directory,
        turnStartedAt: call.turnStartedAt,
      },
      signal: call.signal,
    },
  };
}

/** Whether the query has words to look for (in messages or titles), not only to exclude. */
export function hasTerm(query: Query): boolean {
  return query.root !== null && nodeHasTerm(query.root);
}

function nodeHasTerm(node: QueryNode): boolean {
  switch (node.kind) {
    case "term":
    case "title":
      return true;
    case "and":
    case "or":
      return node.operands.some(nodeHasTerm);
    case "not":
    case "path":
    case "tool":
    case "is":
      return false;
  }
}

function dateRange(date: string, now: Date): TimeRange {
  try {
    return parseDateRange(date, now);
  } catch (error) {
    if (error instanceof QueryError) throw new ArgumentError("date", `date: ${error.message}`);
    throw error;
  }
}
