/** What `npm pack` puts into the package, and what it must not need. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { parseConfig } from "../../src/config.ts";

const root = join(import.meta.dirname, "../..");
const packed = z.tuple([z.object({ size: z.number(), files: z.array(z.object({ path: z.string() })) })]);

/** The options that a sentence about an unknown one lists. */
const understood = (text: string): string[] => (/are: (.*)\.$/u.exec(text)?.[1] ?? "").split(", ").sort();

describe("the package", () => {
  let files: readonly string[] = [];
  let size = 0;

  beforeAll(() => {
    const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [contents] = packed.parse(JSON.parse(output));
    files = contents.files.map(({ path }) => path);
    ({ size } = contents);
  });

  it("holds one bundle with its source map, two entries with types, README, licence and notices, and nothing else", () => {
    expect(files.toSorted()).toEqual([
      "LICENSE",
      "README.md",
      "dist/THIRD-PARTY-LICENSES.md",
      "dist/history-search.js",
      "dist/history-search.js.map",
      "index.d.ts",
      "index.js",
      "package.json",
      "server.d.ts",
      "server.js",
    ]);
  });

  it("is under 600 kB packed", () => {
    expect(size).toBeLessThan(600_000);
  });

  it("has no runtime dependencies", () => {
    const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(manifest).toMatchObject({ dependencies: {} });
  });

  it("passes publint", async () => {
    const { messages, pkg } = await publint({ pkgDir: root, strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it("imports only what Node and Bun have built in, and no SQLite driver statically", () => {
    const bundle = readFileSync(join(root, "dist/history-search.js"), "utf8");
    const targets = [
      ...bundle.matchAll(/^\s*(?:import|export)\s[^"'\n]*?\bfrom\s+["']([^"']+)["']|^import\s+["']([^"']+)["']/gmu),
    ].map((match) => match[1] ?? match[2] ?? "");
    expect(targets.length).toBeGreaterThan(3);
    expect(targets.filter((target) => !target.startsWith("node:") || target === "node:sqlite")).toEqual([]);
  });

  it("names the bundled packages and their licences", () => {
    const notices = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.md"), "utf8");
    for (const name of ["zod", "date-fns", "@secretlint/secretlint-rule-preset-recommend"]) {
      expect(notices).toContain(name);
    }
  });

  it("types every option that is understood, and no other", () => {
    const declared = readFileSync(join(root, "index.d.ts"), "utf8");
    const names = (pattern: RegExp): string[] =>
      [...(pattern.exec(declared)?.[0] ?? "").matchAll(/^ {2}(\w+)\?:/gmu)].map((match) => match[1] ?? "").sort();
    const [problem = ""] = parseConfig({ "?": 0 }).problems;
    const [archiveProblem = ""] = parseConfig({ archive: { "?": 0 } }).problems;
    expect(names(/interface Options \{[^}]*\}/u)).toEqual(understood(problem));
    expect(names(/interface ArchiveOptions \{[^}]*\}/u)).toEqual(understood(archiveProblem));
  });
});
