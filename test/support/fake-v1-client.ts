/** Fake 1.18 client: OpenCode's own generated client over a `fetch` that a test answers. */

import { createOpencodeClient } from "@opencode-ai/sdk";

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface FakeAnswer {
  readonly status?: number;
  /** Sent as JSON, a string as it stands. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeV1Client {
  readonly client: ReturnType<typeof createOpencodeClient>;
  readonly requests: readonly FakeRequest[];
}

/** @param answer throws to stand for a host that does not answer */
export function createFakeV1Client(answer: (request: FakeRequest) => FakeAnswer): FakeV1Client {
  const requests: FakeRequest[] = [];
  const client = createOpencodeClient({
    baseUrl: "http://opencode.test",
    directory: "/w/app",
    fetch: async (request: Request) => {
      const url = new URL(request.url);
      const seen = {
        method: request.method,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        body: await request.text(),
      };
      requests.push(seen);
      request.signal.throwIfAborted();
      const { status = 200, body = null, headers = {} } = answer(seen);
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return new Response(text, { status, headers: { "content-type": "application/json", ...headers } });
    },
  });
  return { client, requests };
}
