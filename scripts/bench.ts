/**
 * Runs benchmarks: npm run bench -- <search|sync|read|archive|all> [--json] [their own options].
 * "all" also writes BENCHMARKS.md. Needs nothing but this machine; run it on a quiet one.
 */

import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

import { run as archive } from "../test/bench/archive.ts";
import { run as read } from "../test/bench/read.ts";
import { reportLines, type Bench, type BenchReport } from "../test/bench/report.ts";
import { run as search } from "../test/bench/search.ts";
import { run as sync } from "../test/bench/sync.ts";

const benches: Readonly<Record<string, Bench>> = { search, sync, read, archive };

const [name = "all", ...rest] = process.argv.slice(2);
const json = rest.includes("--json");
const args = rest.filter((argument) => argument !== "--json");
const chosen = name === "all" ? Object.entries(benches) : Object.entries(benches).filter(([key]) => key === name);
if (chosen.length === 0) {
  console.error(`There is no benchmark "${name}"; there are: ${Object.keys(benches).join(", ")}, all.`);
  process.exit(2);
}

const reports: BenchReport[] = [];
/** `--messages` is the size of a whole history; to a bench about one session it is the length of that session. */
const ofHistory = new Set(["search", "sync"]);

function argumentsFor(key: string): readonly string[] {
  const at = args.indexOf("--messages");
  return name !== "all" || ofHistory.has(key) || at < 0 ? args : args.toSpliced(at, 2);
}

for (const [key, bench] of chosen) {
  console.error(`Running ${key} ...`);
  const report = await bench(argumentsFor(key));
  reports.push(report);
  if (!json) console.log(`${reportLines(report).join("\n")}\n`);
}
if (json) console.log(JSON.stringify(name === "all" ? reports : reports[0], null, 2));

if (name === "all") {
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const body = reports.map((report) => {
    const [title = "", ...lines] = reportLines(report);
    const notes = lines.filter((line) => line.startsWith("- "));
    const figures = lines.filter((line) => !line.startsWith("- "));
    const keys = report.figures.map((figure) => `\`${figure.key}\``).join(", ");
    return `${title}\n\n${notes.join("\n")}\n\n\`\`\`\n${figures.join("\n")}\n\`\`\`\n\nKeys in \`--json\`: ${keys}.\n`;
  });
  writeFileSync(
    "BENCHMARKS.md",
    `# Benchmarks\n\nWritten by \`npm run bench -- all${args.length > 0 ? ` ${args.join(" ")}` : ""}\` on ${new Date().toISOString().slice(0, 10)}: ${machine}.\nEach bench also runs alone: \`npm run bench -- search --messages 300000\`, \`--json\` for one JSON object.\n\n${body.join("\n")}`,
  );
}
