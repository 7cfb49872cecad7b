/** API server: the HTTP side of a fake OpenCode 2.x, on loopback, with the routes that a history needs (§5). */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { messagePage, Refusal, sessionPage } from "./pages.ts";
import type { Json, Store } from "./store.ts";

export interface ApiServerOptions {
  readonly version: string;
  readonly pid: number;
  readonly password: string;
  readonly store: Store;
}

export interface ApiServer {
  readonly url: string;
  /** Every request that got past the password, as path and query. */
  readonly requests: readonly string[];
  /** Answers instead of the routes where it returns a value; null ends that. */
  interfere(instead: ((path: string) => { readonly status: number; readonly body: string } | null) | null): void;
  close(): Promise<void>;
}

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const requests: string[] = [];
  let interference: Parameters<ApiServer["interfere"]>[0] = null;
  const server = createServer((request, response) => {
    const refused = refusalOf(request, options.password);
    if (refused !== null) return sendRefusal(response, refused);
    requests.push(request.url ?? "");
    const instead = interference?.(request.url ?? "") ?? null;
    if (instead !== null) return send(response, instead.status, instead.body);
    try {
      const answer = route(request, options);
      send(response, 200, JSON.stringify(answer));
    } catch (error) {
      sendRefusal(response, error instanceof Refusal ? error : new Refusal(500, "UnknownError", String(error)));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    requests,
    interfere(instead) {
      interference = instead;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** HTTP Basic, user `opencode`; 401 without. */
function refusalOf(request: IncomingMessage, password: string): Refusal | null {
  const wanted = `Basic ${Buffer.from(`opencode:${password}`, "utf8").toString("base64")}`;
  return request.headers.authorization === wanted ? null : new Refusal(401, "UnauthorizedError", "Unauthorized");
}

function route(request: IncomingMessage, { version, pid, store }: ApiServerOptions): Json {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const [root, group, sessionId, messages, messageId, ...more] = url.pathname
    .slice(1)
    .split("/")
    .map((part) => decodeURIComponent(part));
  if (request.method !== "GET" || root !== "api" || more.length > 0) throw notARoute(url);
  if (group === "info" && sessionId === undefined) {
    return { version, pid, urls: [url.origin], paths: { tmp: "/tmp" }, capabilities: {} };
  }
  if (group !== "session") throw notARoute(url);
  if (sessionId === undefined) return sessionPage(store.sessions.values(), url.searchParams);
  const session = store.sessions.get(sessionId);
  if (session === undefined) {
    throw new Refusal(404, "SessionNotFoundError", `Session not found: ${sessionId}`, { sessionID: sessionId });
  }
  if (messages === undefined) return { data: session };
  if (messages !== "message") throw notARoute(url);
  if (messageId === undefined) return messagePage(store.messages(sessionId), url.searchParams);
  const message = store.messages(sessionId).find(({ id }) => id === messageId);
  if (message === undefined) {
    throw new Refusal(404, "MessageNotFoundError", `Message not found: ${messageId}`, { messageID: messageId });
  }
  return { data: message };
}

function notARoute(url: URL): Refusal {
  return new Refusal(404, "RouteNotFound", `No route for ${url.pathname}`);
}

function sendRefusal(response: ServerResponse, { status, tag, message, extra }: Refusal): void {
  send(response, status, JSON.stringify({ _tag: tag, ...extra, message }));
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}
