import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { afterEach, beforeEach, expect, test } from "vitest";

import { findOpencode } from "../support/opencode-binary.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";

let folder = "";
let checkout = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "history-plugin-"));
  checkout = pluginUnderTest(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const RUNTIMES = {
  Node: () => process.execPath,
  Bun: () => findOpencode().path,
};

function run(runtime: keyof typeof RUNTIMES, entry: string, host: string) {
  const url = pathToFileURL(join(checkout, entry)).href;
  const { status, stdout, stderr } = spawnSync(RUNTIMES[runtime](), ["test/cases/plugin-process.mjs", url, host], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder, XDG_DATA_HOME: join(folder, "data"), BUN_BE_BUN: "1" },
  });
  return { status, stdout, stderr };
}

test.each([
  ["Node", "index.js"],
  ["Node", "server.js"],
  ["Node", "dist/history-search.js"],
  ["Bun", "index.js"],
  ["Bun", "server.js"],
] as const)("case 55: the built plugin loads in %s by %s", (runtime, entry) => {
  const loaded = { id: "opencode-history", server: "function", setup: "function", lived: null };
  expect(run(runtime, entry, "none")).toEqual({ status: 0, stdout: JSON.stringify(loaded), stderr: "" });
});

test.each<[runtime: keyof typeof RUNTIMES, what: string, host: string, prepare: () => void]>([
  ["Node", "a host that fails", "failing", () => undefined],
  ["Node", "a host that answers with no JSON", "garbage", () => undefined],
  ["Bun", "a client that throws", "throwing", () => undefined],
  ["Bun", "a host that never answers", "silent", () => undefined],
  ["Bun", "a data folder that is a file", "failing", () => writeFileSync(join(folder, "data"), "")],
  [
    "Bun",
    "a damaged index",
    "failing",
    () => {
      const place = join(folder, "data", "opencode", "history-search");
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "index-v1.sqlite"), Buffer.alloc(4096, "garbage "));
    },
  ],
])("case 61: nothing is printed in %s with %s", (runtime, _what, host, prepare) => {
  prepare();
  const { status, stdout, stderr } = run(runtime, "index.js", host);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ id: "opencode-history", lived: { tools: 4 } });
});
