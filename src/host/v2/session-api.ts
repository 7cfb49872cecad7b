/**
 * Session API: the four reads that a history needs, over the service's HTTP API or over methods of the context where a
 * release has them. Answers are raw; null stands for what does not exist.
 */

import { fieldsOf, nameOf } from "../fields.ts";
import { type Context, type Method, methodOf } from "./context.ts";
import type { Service } from "./service.ts";

interface PageRequest {
  readonly limit: number;
  /** null: the newest page. */
  readonly cursor: string | null;
}

export interface SessionApi {
  sessions(page: PageRequest, signal: AbortSignal): Promise<unknown>;
  session(sessionId: string, signal: AbortSignal): Promise<unknown>;
  messages(sessionId: string, page: PageRequest, signal: AbortSignal): Promise<unknown>;
  message(sessionId: string, messageId: string, signal: AbortSignal): Promise<unknown>;
}

/** The order stands on the first page only: beside a cursor it is an error, since the cursor has it. */
function pageInput({ limit, cursor }: PageRequest): Record<string, string | number> {
  return cursor === null ? { limit, order: "desc" } : { limit, cursor };
}

function sessionPath(...names: readonly string[]): string {
  return ["/api/session", ...names.map((name) => encodeURIComponent(name))].join("/");
}

export function createServiceApi(service: Service): SessionApi {
  return {
    sessions: (page, signal) => service.get("/api/session", pageInput(page), signal),
    session: (sessionId, signal) => service.get(sessionPath(sessionId), {}, signal),
    messages: (sessionId, page, signal) => service.get(sessionPath(sessionId, "message"), pageInput(page), signal),
    message: (sessionId, messageId, signal) => service.get(sessionPath(sessionId, "message", messageId), {}, signal),
  };
}

/** Reads by the context's own methods; null where one is missing (every release up to 2.0.26 has only `get`). */
export function createContextApi({ session, message }: Pick<Context, "session" | "message">): SessionApi | null {
  const nested: unknown = fieldsOf(session)["message"];
  const listSessions = methodOf(session, "list");
  const getSession = methodOf(session, "get");
  const listMessages = methodOf(message, "list") ?? methodOf(nested, "list");
  const getMessage = methodOf(message, "get") ?? methodOf(nested, "get");
  if (listSessions === null || getSession === null || listMessages === null || getMessage === null) return null;
  return {
    sessions: (request, signal) => call(listSessions, pageInput(request), signal),
    session: (sessionID, signal) => call(getSession, { sessionID }, signal),
    messages: (sessionID, request, signal) => call(listMessages, { sessionID, ...pageInput(request) }, signal),
    message: (sessionID, messageID, signal) => call(getMessage, { sessionID, messageID }, signal),
  };
}

/** Calls a method; "not found" arrives as a rejection whose name or `_tag` says so. */
async function call(method: Method, input: unknown, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  try {
    return await method(input);
  } catch (error) {
    signal.throwIfAborted();
    const tag = nameOf(fieldsOf(error)["_tag"]) ?? (error instanceof Error ? error.name : "");
    if (tag.endsWith("NotFoundError")) return null;
    throw error;
  }
}
