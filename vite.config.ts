import { defineConfig } from "vitest/config";

export default defineConfig({
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
      // Tests against a real OpenCode; one file at a time, since a host wants a core for itself.
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
