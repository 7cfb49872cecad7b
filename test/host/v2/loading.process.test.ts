/** How OpenCode 2.x finds and loads this package, under Node and under the Bun inside OpenCode. */

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { build } from "vite";

import { fieldsOf, listOf } from "../../../src/host/fields.ts";
import { type BundledProcess, bundleProcess } from "../../support/bundled-process.ts";
import { findOpencode } from "../../support/opencode-binary.ts";

const CHECKOUT = process.cwd();
const TOOLS = ["history-search-messages", "history-search-sessions", "history-search-edits", "history-read"];

let root: string;
/** The package as it is published: its root files, its manifest and a bundle built for this test. */
let published: string;
let loader: BundledProcess;
let tries = 0;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "loading-")));
  published = join(root, "published");
  await mkdir(published);
  await build({
    configLoader: "runner",
    logLevel: "error",
    build: { outDir: join(published, "dist"), emptyOutDir: true },
  });
  for (const name of ["index.js", "server.js", "package.json"]) await cp(join(CHECKOUT, name), join(published, name));
  loader = await bundleProcess(join(import.meta.dirname, "loader-process.ts"));
}, 120_000);

afterAll(async () => {
  loader.remove();
  await rm(root, { recursive: true, force: true });
});

/** A folder of its own for each test. */
let place: string;

beforeEach(async () => {
  tries += 1;
  place = join(root, `try-${String(tries)}`);
  await mkdir(place);
});

async function copyTo(...names: readonly string[]): Promise<string> {
  const directory = join(place, ...names);
  await cp(published, directory, { recursive: true });
  return directory;
}

const runtimes = [
  { runtime: "Node", program: process.execPath, env: {} },
  { runtime: "the Bun inside OpenCode", program: findOpencode().path, env: { BUN_BE_BUN: "1" } },
];

async function loadAll(runtime: (typeof runtimes)[number], requests: readonly object[]) {
  const { stdout, stderr } = await promisify(execFile)(runtime.program, [loader.path, JSON.stringify(requests)], {
    cwd: place,
    env: {
      PATH: process.env["PATH"],
      HOME: place,
      XDG_DATA_HOME: join(place, "data"),
      XDG_STATE_HOME: join(place, "state"),
      ...runtime.env,
    },
  });
  const lines = stdout.trimEnd().split("\n");
  const said = fieldsOf(JSON.parse(lines.at(-1) ?? ""));
  const log = await readFile(join(place, "data", "opencode", "history-search", "history-search.log"), "utf8").catch(
    () => "",
  );
  return {
    results: listOf(said["results"]).map((result) => fieldsOf(result)),
    setup: fieldsOf(said["setup"]),
    log,
    /** Whatever the plugin wrote to the terminal. */
    noise: [...lines.slice(0, -1), stderr].join(""),
  };
}

const KEYS = ["id", "server", "setup"];

describe.each(runtimes)("loading under $runtime", (runtime) => {
  it("takes server.js of a directory, whatever its package.json says, and says nothing on the terminal", async () => {
    const directory = await copyTo("plugin");
    await writeFile(join(directory, "package.json"), JSON.stringify({ type: "module", main: "./missing.js" }));
    const { results, setup, noise } = await loadAll(runtime, [{ directory }]);
    expect(results).toEqual([{ entry: join(directory, "server.js"), keys: KEYS }]);
    expect(setup).toEqual({ tools: [expect.arrayContaining(TOOLS)], cleanups: ["function"] });
    expect(noise).toBe("");
  });

  it("takes the package by name, through its ./server export", async () => {
    const directory = await copyTo("node_modules", "opencode-history");
    const { results } = await loadAll(runtime, [{ package: "opencode-history", from: place }]);
    expect(results).toEqual([{ entry: join(directory, "server.js"), keys: KEYS }]);
  });

  it("refuses a file, and a directory whose entry lies elsewhere", async () => {
    const directory = await copyTo("plugin");
    await mkdir(join(place, "linked"));
    await symlink(join(directory, "server.js"), join(place, "linked", "server.js"));
    const { results } = await loadAll(runtime, [
      { directory: join(directory, "server.js") },
      { directory: join(place, "linked") },
    ]);
    expect(results).toEqual([
      { error: "configured plugin path must be a directory" },
      { error: expect.stringMatching(/outside|resolves/u) },
    ]);
  });

  it.each([
    ["one copy listed under both plugin and plugins", false],
    ["two copies, a directory and an installed package", true],
  ])("works once, and says so in one line: %s", async (_, installed) => {
    const directory = await copyTo("plugin");
    if (installed) await copyTo("node_modules", "opencode-history");
    const second = installed ? { package: "opencode-history", from: place } : { directory };
    const { results, setup, log, noise } = await loadAll(runtime, [{ directory }, second]);
    expect(results.map(({ keys }) => keys)).toEqual([KEYS, KEYS]);
    expect(setup["tools"]).toEqual([expect.arrayContaining(TOOLS), []]);
    expect(setup["cleanups"]).toEqual(["function", "function"]);
    expect(log.split("\n").filter((line) => line.includes("loaded twice"))).toHaveLength(1);
    expect(noise).toBe("");
  });
});

describe("loading under Node, where a missed candidate is passed over", () => {
  const [node] = runtimes;

  it("takes index.js of a directory without server.js, and . of a package without ./server", async () => {
    if (node === undefined) throw new Error("Node is always there.");
    const directory = await copyTo("plugin");
    await rename(join(directory, "server.js"), join(directory, "other.js"));
    const installed = await copyTo("node_modules", "opencode-history");
    const manifest = fieldsOf(JSON.parse(await readFile(join(installed, "package.json"), "utf8")));
    await writeFile(join(installed, "package.json"), JSON.stringify({ ...manifest, exports: { ".": "./index.js" } }));
    const { results } = await loadAll(node, [{ directory }, { package: "opencode-history", from: place }]);
    expect(results.map(({ entry }) => entry)).toEqual([join(directory, "index.js"), join(installed, "index.js")]);
  });
});

describe("the bundle", () => {
  it("imports nothing statically that some host lacks", async () => {
    const text = await readFile(join(published, "dist", "history-search.js"), "utf8");
    const imported = Array.from(
      text.matchAll(/^(?:import|export)\b[^;]*?from\s*["']([^"']+)["']/gmu),
      ([, from]) => from,
    );
    expect(imported.length).toBeGreaterThan(0);
    for (const from of imported) expect(from).toMatch(/^node:(?!sqlite)/u);
  });
});
