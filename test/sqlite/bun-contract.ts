/** Runs the driver contract in Bun and prints the outcome as JSON: the entry that driver.test.ts starts there. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { loadDriver } from "../../src/sqlite/driver.ts";

import { contract } from "./contract.ts";

const driver = await loadDriver();
const outcomes = contract.map(({ name, run }) => {
  const directory = mkdtempSync(join(tmpdir(), "history-contract-"));
  try {
    run(driver, directory);
    return { name, error: null };
  } catch (error) {
    return { name, error: String(error) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
process.stdout.write(JSON.stringify({ driver: driver.name, sqliteVersion: driver.sqliteVersion, outcomes }));
