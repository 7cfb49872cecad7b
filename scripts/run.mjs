#!/usr/bin/env node
// Runs a TypeScript entry of this repository: node scripts/run.mjs <entry.ts> [arguments…]
// Node 20 does not read TypeScript, so the entry is bundled into a temporary folder first.
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error("Usage: node scripts/run.mjs <entry.ts> [arguments…]");
  process.exit(2);
}
const outDir = mkdtempSync(join(tmpdir(), "opencode-history-run-"));
process.once("exit", () => rmSync(outDir, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
// What is not bundled is found as if the bundle stood in the repository.
symlinkSync(resolve(import.meta.dirname, "../node_modules"), join(outDir, "node_modules"), "junction");
await build({
  configFile: false,
  logLevel: "error",
  build: {
    ssr: resolve(entry),
    outDir,
    target: "node20",
    minify: false,
    sourcemap: "inline",
    emptyOutDir: false,
    rolldownOptions: { output: { entryFileNames: "entry.mjs", codeSplitting: false } },
  },
});
process.argv = [process.argv[0], resolve(entry), ...args];
await import(pathToFileURL(join(outDir, "entry.mjs")).href);
