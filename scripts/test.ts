/**
 * The whole test run: build, then unit and integration tests in the time zones that matter.
 * Its last line is "N passed, N failed".
 *
 *   npm test                 everything, bounded sizes
 *   npm run test:unit        unit tests, in three time zones
 *   npm run test:integration against a real OpenCode: the built plugin, and the packed and installed one
 *   npm run test:all         everything, full sizes
 */

import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

interface Run {
  readonly label: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const { values } = parseArgs({
  options: { only: { type: "string" }, full: { type: "boolean", default: false } },
});

const root = process.cwd();
const folder = mkdtempSync(join(tmpdir(), "opencode-history-test-"));
const vitest = join(root, "node_modules/vitest/vitest.mjs");

const unit: readonly Run[] = ["UTC", "America/Los_Angeles", "Asia/Tokyo"].map((zone, index) => ({
  label: `unit tests, TZ=${zone}`,
  // What is long and asks nothing of the time zone runs once.
  args: index === 0 ? ["--project", "unit", "--project", "long"] : ["--project", "unit"],
  env: { TZ: zone },
}));

const integration: readonly Run[] = [
  { label: "integration tests, TZ=UTC", args: ["--project", "integration"], env: { TZ: "UTC" } },
  {
    label: "integration tests, packed and installed, TZ=America/Los_Angeles",
    // The others look at what is the same however the plugin was installed.
    args: ["--project", "integration", "chat", "run", "behaviour"],
    env: { TZ: "America/Los_Angeles", HISTORY_PLUGIN_PACKED: "1" },
  },
];

function behaviour(how: string, env: Readonly<Record<string, string>>): Run {
  return { label: `behaviour, ${how}`, args: ["--project", "integration", "behaviour"], env };
}

const byFileUrl = { HISTORY_PLUGIN_PATH: pathToFileURL(join(root, "index.js")).href };

/** Every way to install the plugin, in both zones: what the runs above leave out. */
const installs: readonly Run[] = [
  behaviour("packed and installed, TZ=UTC", { TZ: "UTC", HISTORY_PLUGIN_PACKED: "1" }),
  behaviour("by directory, TZ=America/Los_Angeles", { TZ: "America/Los_Angeles" }),
  behaviour("by file URL, TZ=UTC", { TZ: "UTC", ...byFileUrl }),
  behaviour("by file URL, TZ=America/Los_Angeles", { TZ: "America/Los_Angeles", ...byFileUrl }),
];

function execute(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      resolve(code ?? 1);
    });
  });
}

const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Passed and failed tests as vitest's own report counts them; a run without a report is one failure. */
function counts(file: string): { passed: number; failed: number } {
  if (!existsSync(file)) return { passed: 0, failed: 1 };
  const report: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof report !== "object" || report === null) return { passed: 0, failed: 1 };
  const entries = new Map<string, unknown>(Object.entries(report));
  return { passed: count(entries.get("numPassedTests")), failed: count(entries.get("numFailedTests")) };
}

/** Builds the plugin; in a checkout that may only be read, the one that was built before is tested. */
async function build(): Promise<boolean> {
  try {
    accessSync(root, constants.W_OK);
  } catch {
    console.log("This checkout may only be read: its dist/ is tested as it is.");
    return existsSync(join(root, "dist/history-search.js"));
  }
  return (await execute("npm", ["run", "--silent", "build"], {})) === 0;
}

async function main(): Promise<boolean> {
  if (!(await build())) {
    console.log("There is no build to test.\n0 passed, 1 failed");
    return false;
  }
  const runs = values.only === "unit" ? unit : values.only === "integration" ? integration : [...unit, ...integration];
  const all = values.full && values.only === undefined ? [...runs, ...installs] : runs;
  let passed = 0;
  let failed = 0;
  for (const [index, run] of all.entries()) {
    console.log(`\n== ${run.label}`);
    const file = join(folder, `${index}.json`);
    // Vite would write its configuration, bundled, into node_modules, which need not be writable.
    const code = await execute(
      process.execPath,
      [
        vitest,
        "run",
        "--configLoader",
        "runner",
        ...run.args,
        "--reporter=default",
        "--reporter=json",
        `--outputFile=${file}`,
      ],
      { ...run.env, ...(values.full ? { HISTORY_TEST_SIZE: "full" } : {}) },
    );
    const result = counts(file);
    passed += result.passed;
    // A run that exits with a failure but counts none (an error outside a test) is a failure all the same.
    failed += code !== 0 && result.failed === 0 ? 1 : result.failed;
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
