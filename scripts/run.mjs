#!/usr/bin/env node
// Runs a TypeScript entry of this repository: node scripts/run.mjs <entry.ts> [arguments…]
// Node 20 does not read TypeScript, so the entry is bundled into a folder of node_modules first.
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error("Usage: node scripts/run.mjs <entry.ts> [arguments…]");
  process.exit(2);
}
const outDir = join(import.meta.dirname, "../node_modules/.cache/opencode-history", randomUUID());
process.once("exit", () => rmSync(outDir, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
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
