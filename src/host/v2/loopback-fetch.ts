/**
 * Loopback fetch: a request to a server on this machine, straight to it.
 *
 * Bun's fetch follows HTTP_PROXY even for 127.0.0.1 (seen with 1.3.14), so where a proxy is set, a request would carry
 * the service's password to the proxy. Bun reads NO_PROXY while fetch is called, and it has no other way round: so
 * NO_PROXY names the host for the time of that call, which nothing can interrupt. Node's fetch follows no proxy.
 */

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const NO_PROXY = ["NO_PROXY", "no_proxy"] as const;

export const loopbackFetch: Fetch = (url, init) => {
  if (process.versions["bun"] === undefined) return fetch(url, init);
  const before = NO_PROXY.map((name) => process.env[name]);
  const { hostname } = new URL(url);
  try {
    for (const [place, name] of NO_PROXY.entries()) {
      process.env[name] = [before[place], hostname].filter(Boolean).join(",");
    }
    return fetch(url, init);
  } finally {
    for (const [place, name] of NO_PROXY.entries()) {
      const value = before[place];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
};
