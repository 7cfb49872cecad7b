/**
 * Raw client: GET requests through the plugin's own client. It carries the host's in-process `fetch`, so it works in
 * `opencode run` and in the terminal interface too, where nothing listens and `serverUrl` is a fiction. The generated
 * methods of that client do not know the newer routes and drop the paging headers; its `_client` does neither.
 */

import type { PluginInput } from "@opencode-ai/plugin";

import { fieldsOf, isFields, textOf } from "../fields.ts";
import { HostError } from "../host.ts";

export interface RawRequest {
  /** Route with `{name}` places. */
  readonly url: string;
  readonly path?: Readonly<Record<string, string>>;
  /** `directory: ""` takes out the directory that the client adds to every GET. */
  readonly query?: Readonly<Record<string, string | number | boolean>>;
}

export interface RawAnswer {
  readonly data: unknown;
  readonly header: (name: string) => string | null;
}

export interface RawClient {
  /**
   * @returns null when the host answered 404
   * @throws HostError "unavailable" (no answer, or 5xx), "rejected" (4xx), "bad-response" (no JSON)
   */
  get(request: RawRequest, signal: AbortSignal): Promise<RawAnswer | null>;
}

type Get = (options: Readonly<Record<string, unknown>>) => Promise<unknown>;

export function createRawClient(client: PluginInput["client"]): RawClient {
  return {
    async get(request, signal) {
      signal.throwIfAborted();
      const name = routeName(request);
      let result: unknown;
      try {
        result = await getOf(client)({ ...request, signal, parseAs: "text" });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof HostError) throw error;
        throw new HostError("unavailable", `OpenCode did not answer GET ${name}: ${messageOf(error)}`, {
          cause: error,
        });
      }
      signal.throwIfAborted();
      return readAnswer(result, name);
    },
  };
}

/** `_client` is protected in the types, and every plugin that needs a newer route takes it all the same. */
function getOf(client: PluginInput["client"]): Get {
  const inner: unknown = Reflect.get(client, "_client");
  const get: unknown = isFields(inner) || typeof inner === "function" ? Reflect.get(inner, "get") : undefined;
  if (typeof get !== "function") {
    throw new HostError("unavailable", "This OpenCode gives plugins no client that can read sessions.");
  }
  return async (options) => {
    const result: unknown = await Reflect.apply(get, inner, [options]);
    return result;
  };
}

function readAnswer(result: unknown, name: string): RawAnswer | null {
  const { data, error, response } = fieldsOf(result);
  if (!(response instanceof Response)) {
    throw new HostError("unavailable", `OpenCode did not answer GET ${name}: ${messageOf(error)}`);
  }
  if (response.status === 404) return null;
  if (!response.ok) {
    const code = response.status >= 500 ? "unavailable" : "rejected";
    throw new HostError(code, `OpenCode answered GET ${name} with ${response.status}: ${messageOf(error)}`);
  }
  return { data: parseJson(data, name), header: (header) => response.headers.get(header) };
}

function parseJson(data: unknown, name: string): unknown {
  const text = textOf(data);
  if (text === null) throw new HostError("bad-response", `OpenCode answered GET ${name} with no text.`);
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    throw new HostError("bad-response", `OpenCode answered GET ${name} with ${text.length} characters of no JSON.`, {
      cause: error,
    });
  }
}

function routeName(request: RawRequest): string {
  return request.url.replace(/\{(?<place>\w+)\}/gu, (whole, place: string) => request.path?.[place] ?? whole);
}

/** Error bodies are `{name, data: {message}}`; transport errors are Errors. */
function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const fields = fieldsOf(error);
  return textOf(fieldsOf(fields["data"])["message"]) ?? textOf(fields["message"]) ?? textOf(error) ?? "no reason given";
}
