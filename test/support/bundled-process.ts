/** Bundled process: a TypeScript entry as a file that plain Node runs, for tests that start and kill processes. */

import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { build } from "vite";

export interface BundledProcess {
  /** To be started by `fork`. */
  readonly path: string;
  remove(): void;
}

/** @param entry absolute path of the entry */
export async function bundleProcess(entry: string): Promise<BundledProcess> {
  // The checkout may be read-only; the link lets the drivers be found from where the file lies.
  const outDir = mkdtempSync(join(tmpdir(), "opencode-history-process-"));
  symlinkSync(resolve(import.meta.dirname, "../../node_modules"), join(outDir, "node_modules"), "junction");
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
