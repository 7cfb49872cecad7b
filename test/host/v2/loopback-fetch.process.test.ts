import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type BundledProcess, bundleProcess } from "../../support/bundled-process.ts";
import { findOpencode } from "../../support/opencode-binary.ts";

let program: BundledProcess;

beforeAll(async () => {
  program = await bundleProcess(join(import.meta.dirname, "loopback-process.ts"));
}, 60_000);

afterAll(() => {
  program.remove();
});

const runtimes = [
  { runtime: "Node", path: process.execPath, env: {} },
  { runtime: "the Bun inside OpenCode", path: findOpencode().path, env: { BUN_BE_BUN: "1" } },
];
/** A proxy that nobody answers: whatever goes there fails. */
const PROXY = "http://127.0.0.1:9";
const environments: readonly Readonly<Record<string, string>>[] = [
  {},
  { HTTP_PROXY: PROXY, http_proxy: PROXY },
  { HTTP_PROXY: PROXY, http_proxy: PROXY, NO_PROXY: "example.com", no_proxy: "example.com" },
];

describe.each(runtimes)("a request to this machine under $runtime", ({ path, env }) => {
  it.each(environments)("goes straight to it, and leaves the environment as it was: %j", async (proxies) => {
    const options = { env: { PATH: process.env["PATH"], ...env, ...proxies } };
    const { stdout } = await promisify(execFile)(path, [program.path], options);
    expect(JSON.parse(stdout)).toEqual({ answer: "/api?limit=1 y", sameEnvironment: true });
  });
});
