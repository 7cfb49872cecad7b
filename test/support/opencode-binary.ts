/** OpenCode binary: where the npm package `opencode-ai`, a development dependency, keeps the program itself. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { fieldsOf, textOf } from "../../src/host/fields.ts";

export interface OpencodeBinary {
  readonly path: string;
  readonly version: string;
}

/** The program is some 150 MB; what stands in its place before the package's install script ran is a small text. */
const SMALLEST_PROGRAM = 1_000_000;

/**
 * Finds the program in `opencode-ai` or in the platform package that it depends on.
 * @throws Error that names the missing package and what to run
 */
export function findOpencode(): OpencodeBinary {
  const resolve = createRequire(import.meta.url).resolve;
  const root = packageFolder("opencode-ai", resolve);
  if (root === null) {
    throw new Error("OpenCode is missing: the package opencode-ai is not installed. Run `npm ci`, then try again.");
  }
  const manifest = fieldsOf(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const version = textOf(manifest["version"]) ?? "";
  const prefix = `opencode-${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const platformPackages = Object.keys(fieldsOf(manifest["optionalDependencies"])).filter((name) =>
    name.startsWith(prefix),
  );
  const programs = [root, ...platformPackages.map((name) => packageFolder(name, resolve))]
    .filter((folder) => folder !== null)
    .flatMap((folder) => ["opencode", "opencode.exe"].map((name) => join(folder, "bin", name)));
  const path = programs.find((file) => existsSync(file) && statSync(file).size >= SMALLEST_PROGRAM);
  if (path === undefined) {
    throw new Error(
      `OpenCode ${version} is missing for ${process.platform}-${process.arch}: none of the packages ` +
        `opencode-ai, ${platformPackages.join(", ") || `${prefix}*`} holds the program. ` +
        "Run `npm ci` with optional dependencies and install scripts allowed, then try again.",
    );
  }
  return { path, version };
}

function packageFolder(name: string, resolve: (path: string) => string): string | null {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}
