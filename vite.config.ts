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
    include: ["test/**/*.test.ts"],
    pool: "threads",
    isolate: false,
    coverage: { include: ["src/**/*.ts"], exclude: ["src/**/*.d.ts"], reporter: ["text", "json-summary"] },
  },
});
