/** Holds the layer table: which folder of src/ may import from which. Imports are read as text. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

import { describe, expect, it } from "vitest";

const source = join(import.meta.dirname, "../../src");

/** folder: the folders it may import from; a trailing "(types)" allows `import type` only. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  session: [],
  query: [],
  redact: [],
  sqlite: ["runtime"],
  host: ["runtime", "session"],
  archive: ["runtime", "session", "redact"],
  "search-index": ["runtime", "session", "query", "sqlite"],
  search: ["runtime", "session", "query", "search-index", "host (types)"],
  render: ["session", "search", "redact"],
  sync: ["runtime", "session", "host (types)"],
  tools: ["runtime", "session", "query", "search", "render", "host (types)"],
};

interface Import {
  readonly file: string;
  readonly folder: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const importPattern =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|import\(\s*"([^"]+)"\s*\)/gu;

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

const imports: readonly Import[] = files.flatMap((name) => {
  const file = join(source, name);
  return [...readFileSync(file, "utf8").matchAll(importPattern)].map((match) => ({
    file: name,
    folder: name.includes(sep) ? (name.split(sep)[0] ?? "") : "",
    target: match[3] ?? match[4] ?? "",
    typeOnly: match[2] !== undefined,
  }));
});

const folderOf = (entry: Import): string | null => {
  if (!entry.target.startsWith(".")) return null;
  const path = relative(source, join(source, dirname(entry.file), entry.target));
  return path.includes(sep) ? (path.split(sep)[0] ?? "") : "";
};

describe("layers of src/", () => {
  it("are the folders of the table, and the table's only", () => {
    const folders = new Set(files.filter((name) => name.includes(sep)).map((name) => name.split(sep)[0]));
    expect(folders).toEqual(new Set(Object.keys(allowed)));
  });

  it.each(Object.entries(allowed))("%s imports only from %j", (folder, may) => {
    const wrong = imports
      .filter((entry) => entry.folder === folder)
      .filter((entry) => {
        const target = folderOf(entry);
        if (target === null || target === folder || may.includes(target)) return false;
        return !(entry.typeOnly && may.includes(`${target} (types)`));
      })
      .map((entry) => `${entry.file} imports ${entry.target}`);
    expect(wrong).toEqual([]);
  });

  it.each([
    ["a SQLite driver", /^(?:bun:|node:sqlite$|better-sqlite3)/u, "sqlite"],
    ["OpenCode's packages", /^@opencode(?:-ai)?\//u, "host"],
  ])("only one folder knows %s", (_what, pattern, owner) => {
    const wrong = imports.filter((entry) => pattern.test(entry.target) && entry.folder !== owner);
    expect(wrong).toEqual([]);
  });

  it("import relative files with their extension, and nothing that is neither built in, bundled nor ours", () => {
    const bundled = /^(?:zod|date-fns|@secretlint\/[\w-]+|jsonrepair)$/u;
    const wrong = imports.filter(({ target, typeOnly, folder }) => {
      if (target === "../package.json" && folder === "") return false;
      if (target.startsWith(".")) return !target.endsWith(".ts");
      if (target.startsWith("node:") || bundled.test(target)) return false;
      return !(typeOnly && folder === "host" && target.startsWith("@opencode-ai/")) && folder !== "sqlite";
    });
    expect(wrong).toEqual([]);
  });

  it("the check itself sees imports", () => {
    expect(imports.length).toBeGreaterThan(files.length / 2);
  });
});
