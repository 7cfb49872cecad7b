/** HTTP: requests to the API of a found service, and what their answers mean. */

import { fieldsOf, nameOf } from "../fields.ts";
import { HostError } from "../host.ts";
import type { Fetch } from "./loopback-fetch.ts";
import type { Registration } from "./registration.ts";

export interface HttpOptions {
  readonly fetch: Fetch;
  /** Milliseconds that one request may take, its body included. */
  readonly timeoutMs: number;
}

export type Parameters = Readonly<Record<string, string | number>>;

/** Errors of OpenCode that say that something does not exist, by their `_tag`. A missing route is no such error. */
const ABSENT = /^(?:Session|Message)[A-Za-z]*NotFoundError$/u;

/**
 * GETs a JSON answer.
 * @param path below the service's address, such as "/api/info"
 * @returns null when OpenCode says that the session or message does not exist
 * @throws HostError; the signal's reason when aborted
 */
export async function getJson(
  { fetch, timeoutMs }: HttpOptions,
  service: Registration,
  path: string,
  parameters: Parameters,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  const query = queryOf(parameters);
  const where = `GET ${path}`;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let response: Response;
  let body: string;
  try {
    response = await fetch(`${service.url}${path}${query === "" ? "" : `?${query}`}`, {
      headers: headersFor(service),
      // A redirect could carry the password elsewhere.
      redirect: "error",
      signal: limited,
    });
    body = await response.text();
  } catch (cause) {
    signal.throwIfAborted();
    const reason = limited.aborted ? `no answer within ${String(timeoutMs)} ms` : reasonOf(cause);
    throw new HostError("unavailable", `${where} failed: ${reason}.`, { cause });
  }
  return answerOf(where, response.status, body);
}

function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
  return query.toString();
}

function headersFor({ password }: Registration): Record<string, string> {
  const accept = { accept: "application/json" };
  if (password === null) return accept;
  return { ...accept, authorization: `Basic ${Buffer.from(`opencode:${password}`, "utf8").toString("base64")}` };
}

function answerOf(where: string, status: number, body: string): unknown {
  const value = parsed(body);
  if (status >= 200 && status < 300) {
    if (value === undefined) throw new HostError("bad-response", `${where} answered ${String(status)} without JSON.`);
    return value;
  }
  const error = fieldsOf(value);
  const tag = nameOf(error["_tag"]);
  if (status === 404 && tag !== null && ABSENT.test(tag)) return null;
  const words = [tag, nameOf(error["message"])].filter((word) => word !== null).join(": ");
  const message = `${where} answered ${String(status)}${words === "" ? "" : `, ${words}`}.`;
  // 500 may concern one session alone, and says nothing about the service.
  throw new HostError(status === 401 || status === 503 ? "unavailable" : "rejected", message);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
