import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { defineConfig } from "vitest/config";

/** The source map holds our sources; those of bundled packages are published, and would double the package's size. */
const ownSourcesOnly = {
  name: "own-sources-only",
  writeBundle({ dir }: { dir?: string }) {
    const file = join(dir ?? "dist", "history-search.js.map");
    const map: { sources: string[]; sourcesContent: (string | null)[] } = JSON.parse(readFileSync(file, "utf8"));
    map.sourcesContent = map.sourcesContent.map((content, at) =>
      map.sources[at]?.includes("node_modules") === true ? null : content,
    );
    writeFileSync(file, JSON.stringify(map));
  },
};

export default defineConfig({
  plugins: [ownSourcesOnly],
  // A Vite library build resolves packages for the browser unless told otherwise.
  resolve: { conditions: ["node", "module", "import", "default"], mainFields: ["module", "main"] },
  build: {
    target: "node20",
    lib: { entry: "src/index.ts", formats: ["es"], fileName: "history-search" },
    minify: false,
    sourcemap: true,
    license: { fileName: "THIRD-PARTY-LICENSES.md" },
    rolldownOptions: {
      platform: "node",
      external: [/^node:/u, /^bun:/u, "better-sqlite3"],
      output: { codeSplitting: false },
    },
  },
  test: {
    pool: "threads",
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/integration/**", "test/fuzz/**", "test/scenarios/**", "test/**/*.process.test.ts"],
          // Properties over many cases are slow on a machine that does other things too.
          testTimeout: 60_000,
        },
      },
      // Tests that kill processes of their own, play whole scenarios, or try random cases by the hundred.
      {
        extends: true,
        test: {
          name: "long",
          include: ["test/fuzz/**/*.test.ts", "test/scenarios/**/*.test.ts", "test/**/*.process.test.ts"],
          testTimeout: 120_000,
        },
      },
      // Tests against a real OpenCode; one file at a time: two hosts on two cores are no faster.
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
    coverage: { include: ["src/**/*.ts"], exclude: ["src/**/*.d.ts"], reporter: ["text", "json-summary"] },
  },
});
