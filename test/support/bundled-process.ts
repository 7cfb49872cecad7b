/** Bundled process: a TypeScript entry as a file that plain Node runs, for tests that start and kill processes. */

import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";

import { build } from "vite";

export interface BundledProcess {
  /** To be started by `fork`. */
  readonly path: string;
  remove(): void;
}

/** @param entry absolute path of the entry */
export async function bundleProcess(entry: string): Promise<BundledProcess> {
  // Inside node_modules, so that the drivers are found from there.
  const outDir = join(import.meta.dirname, "../../node_modules/.cache/opencode-history", randomUUID());
  await build({
    configFile: false,
    logLevel: "error",
    build: {
      ssr: entry,
      outDir,
      target: "node20",
      minify: false,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: "entry.mjs", codeSplitting: false } },
    },
  });
  return { path: join(outDir, "entry.mjs"), remove: () => rmSync(outDir, { recursive: true, force: true }) };
}
