/**
 * Loader process: resolves and sets up plugins as OpenCode 2.x does ("§" names sections of the fact sheet), in a process
 * of its own, so that it can be run by Node and by the Bun inside OpenCode. Prints one line of JSON.
 *
 * Usage: <this file> '[{"directory": "/path"} | {"package": "name", "from": "/path"}, …]'
 */

import { realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";

import { fieldsOf, listOf, textOf } from "../../../src/host/fields.ts";
import { methodOf } from "../../../src/host/v2/context.ts";

interface Loaded {
  readonly entry: string;
  readonly plugin: unknown;
}

/** §1.9, §1.10: the first candidate that resolves is the entry. */
function firstOf(from: string, candidates: readonly string[]): string {
  const { resolve } = createRequire(join(from, "parent.js"));
  for (const candidate of candidates) {
    try {
      return resolve(candidate);
    } catch (error) {
      // §1.11: on Bun 1.3 what `resolve` throws may be no Error, and then it is not swallowed.
      if (!(error instanceof Error)) throw new Error(`${candidate} threw something that is no Error`, { cause: error });
    }
  }
  throw new Error(`none of ${candidates.join(", ")} resolves`);
}

function entryOfDirectory(directory: string): string {
  // §1.7: a file is skipped.
  if (!statSync(directory).isDirectory()) throw new Error("configured plugin path must be a directory");
  // §1.9: package.json is not looked at.
  const entry = firstOf(directory, ["./server", "./index"]);
  if (!realpathSync(entry).startsWith(realpathSync(directory) + sep)) throw new Error("the entry lies outside");
  return entry;
}

async function load(request: unknown): Promise<Loaded> {
  const { directory, package: name, from } = fieldsOf(request);
  const path = textOf(directory);
  const packageName = textOf(name) ?? "";
  const entry =
    path === null ? firstOf(textOf(from) ?? "", [`${packageName}/server`, packageName]) : entryOfDirectory(path);
  const module: unknown = await import(pathToFileURL(entry).href);
  const plugin = fieldsOf(module)["default"];
  // §1.1
  if (textOf(fieldsOf(plugin)["id"]) === null || methodOf(plugin, "setup") === null) {
    throw new Error("Plugin must export a default definition with an id and an effect or setup function.");
  }
  return { entry, plugin };
}

/** Sets up every plugin for one location, looks at its tools, and unloads them again. */
async function setUp(plugins: readonly unknown[]): Promise<unknown> {
  const added = plugins.map((): string[] => []);
  const cleanups: unknown[] = [];
  for (const [place, plugin] of plugins.entries()) {
    const editor = {
      add: (tool: unknown) => added[place]?.push(textOf(fieldsOf(tool)["name"]) ?? "?"),
      list: () => [],
    };
    const location = { directory: process.cwd(), project: { id: "global", directory: "/", canonical: "/" } };
    cleanups.push(
      methodOf(
        plugin,
        "setup",
      )?.({
        app: { name: "opencode", version: "2.0.26", channel: "latest" },
        location,
        options: { archive: false },
        session: {},
        event: { subscribe: () => neverEnding() },
        tool: {
          async transform(callback: (given: unknown) => void) {
            callback(editor);
            return { dispose: async () => {} };
          },
        },
      }),
    );
  }
  await new Promise((resolve) => {
    setTimeout(resolve, 300);
  });
  const atFirst = structuredClone(added);
  for (const cleanup of cleanups) if (typeof cleanup === "function") await Reflect.apply(cleanup, undefined, []);
  return { tools: atFirst, cleanups: cleanups.map((cleanup) => typeof cleanup) };
}

function neverEnding(): AsyncIterable<unknown> {
  return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
}

const requests: unknown = JSON.parse(process.argv.at(-1) ?? "[]");
const results: unknown[] = [];
const plugins: unknown[] = [];
for (const request of listOf(requests)) {
  try {
    const { entry, plugin } = await load(request);
    plugins.push(plugin);
    results.push({ entry, keys: Object.keys(fieldsOf(plugin)).sort() });
  } catch (error) {
    results.push({ error: error instanceof Error ? error.message : String(error) });
  }
}
const setup = await setUp(plugins);
process.stdout.write(`${JSON.stringify({ results, setup })}\n`);
