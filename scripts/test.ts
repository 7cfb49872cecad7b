/**
 * The whole test run: build, then unit and integration tests, side by side unless they are long. Its last line is
 * "N passed, N failed".
 *
 *   npm test                 everything, bounded sizes
 *   npm run test:unit        unit tests
 *   npm run test:integration against a real OpenCode: the built plugin, and the packed and installed one
 *   npm run test:all         everything, full sizes, in every zone and for every way of installing
 *
 * Tests run in the time zone that TZ names, else in UTC; those that depend on the zone run in others too.
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

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const { values } = parseArgs({
  options: { only: { type: "string" }, full: { type: "boolean", default: false } },
});

const root = process.cwd();
const folder = mkdtempSync(join(tmpdir(), "opencode-history-test-"));
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const zone = process.env["TZ"] ?? "UTC";
const otherZones = ["America/Los_Angeles", "Asia/Tokyo"].filter((other) => other !== zone);
const abroad = otherZones[0] ?? zone;

/** The folders whose code asks for the local time; the rest of the product counts in milliseconds of UTC. */
const ZONED = ["test/query/", "test/render/", "test/tools/", "test/cases/"];

/** What an installed package could break; the other files look at what is the same however it was installed. */
const INSTALLED = ["test/integration/chat", "test/integration/behaviour"];

function unitRuns(full: boolean): readonly Run[] {
  return [
    { label: `unit tests, TZ=${zone}`, args: ["--project", "unit", "--project", "long"], env: { TZ: zone } },
    ...otherZones.map((other) => ({
      label: `${full ? "unit tests" : "unit tests of dates"}, TZ=${other}`,
      args: ["--project", "unit", ...(full ? [] : ZONED)],
      env: { TZ: other },
    })),
  ];
}

function integrationRuns(full: boolean): readonly Run[] {
  const packed = { HISTORY_PLUGIN_PACKED: "1" };
  const byFileUrl = { HISTORY_PLUGIN_PATH: pathToFileURL(join(root, "index.js")).href };
  return [
    {
      label: `integration tests, TZ=${zone}`,
      // In a bounded run a file meets the plugin installed in one way.
      args: full ? [] : INSTALLED.flatMap((file) => ["--exclude", `${file}.test.ts`]),
      env: { TZ: zone },
    },
    {
      label: `integration tests, packed and installed, TZ=${abroad}`,
      args: full ? [...INSTALLED, "test/integration/run"] : INSTALLED,
      env: { TZ: abroad, ...packed },
    },
    ...(full
      ? [
          behaviour(`packed and installed, TZ=${zone}`, { TZ: zone, ...packed }),
          behaviour(`by directory, TZ=${abroad}`, { TZ: abroad }),
          behaviour(`by file URL, TZ=${zone}`, { TZ: zone, ...byFileUrl }),
          behaviour(`by file URL, TZ=${abroad}`, { TZ: abroad, ...byFileUrl }),
        ]
      : []),
  ].map(({ label, args, env }) => ({ label, args: ["--project", "integration", ...args], env }));
}

function behaviour(how: string, env: Readonly<Record<string, string>>): Run {
  return { label: `behaviour, ${how}`, args: ["test/integration/behaviour"], env };
}

/**
 * Runs a command to its end.
 * @returns its exit code, and what it printed when `isKept`; otherwise that goes to the terminal as it comes
 */
async function execute(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  isKept = false,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const to = isKept ? "pipe" : "inherit";
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", to, to] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ code: code ?? 1, output });
    });
  });
}

const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Passed and failed tests as vitest's own report counts them; a run without a report is one failure. */
function counts(file: string): Counts {
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
  return (await execute("npm", ["run", "--silent", "build"], {})).code === 0;
}

/** One run of vitest. @param isKept whether its output waits for its end, so that two runs do not mix theirs */
async function test({ label, args, env }: Run, isKept: boolean): Promise<Counts> {
  const title = `\n== ${label}`;
  if (!isKept) console.log(title);
  const file = join(mkdtempSync(join(folder, "run-")), "report.json");
  // Vite would write its configuration, bundled, into node_modules, which need not be writable.
  const options = ["--configLoader", "runner", "--reporter=default", "--reporter=json", `--outputFile=${file}`];
  const size = values.full ? { HISTORY_TEST_SIZE: "full" } : {};
  const { code, output } = await execute(
    process.execPath,
    [vitest, "run", ...args, ...options],
    { ...env, ...size },
    isKept,
  );
  if (isKept) console.log(`${title}\n${output}`);
  const { passed, failed } = counts(file);
  // A run that exits with a failure but counts none (an error outside a test) is a failure all the same.
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

/** One run after the other. */
async function inTurn(runs: readonly Run[], isKept: boolean): Promise<Counts> {
  let passed = 0;
  let failed = 0;
  for (const run of runs) {
    const result = await test(run, isKept);
    passed += result.passed;
    failed += result.failed;
  }
  return { passed, failed };
}

/** One core each: a host that starts and a property that is tried are both busy with one. */
async function sideBySide(integrations: readonly Run[], units: readonly Run[]): Promise<readonly Counts[]> {
  return Promise.all([inTurn(integrations, false), inTurn(units, true)]);
}

/** All cores for the unit tests, and everything printed as it comes. */
async function oneByOne(integrations: readonly Run[], units: readonly Run[]): Promise<readonly Counts[]> {
  const wide = units.map(({ label, args, env }) => ({ label, args: [...args, "--maxWorkers=100%"], env }));
  return [await inTurn(integrations, false), await inTurn(wide, false)];
}

async function main(): Promise<boolean> {
  if (!(await build())) {
    console.log("There is no build to test.\n0 passed, 1 failed");
    return false;
  }
  const units = values.only === "integration" ? [] : unitRuns(values.full);
  const integrations = values.only === "unit" ? [] : integrationRuns(values.full);
  const sides = await (values.full || units.length === 0 || integrations.length === 0
    ? oneByOne(integrations, units)
    : sideBySide(integrations, units));
  const passed = sides.reduce((sum, side) => sum + side.passed, 0);
  const failed = sides.reduce((sum, side) => sum + side.failed, 0);
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
