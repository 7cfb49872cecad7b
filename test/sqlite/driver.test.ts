import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { loadBetterSqlite3Driver } from "../../src/sqlite/better-sqlite3.ts";
import type { SqliteDriver } from "../../src/sqlite/database.ts";
import { loadNodeDriver } from "../../src/sqlite/node.ts";

import { findOpencode } from "../support/opencode-binary.ts";
import { contract } from "./contract.ts";

const drivers = [loadBetterSqlite3Driver(), loadNodeDriver()].filter(
  (driver): driver is SqliteDriver => driver !== null,
);

describe.each(drivers)("$name", (driver) => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "history-contract-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it.each(contract)("$name", ({ run }) => {
    expect(run(driver, directory)).toBeUndefined();
  });
});

describe("bun:sqlite in the host's own Bun", () => {
  it("holds the contract, and prints nothing by itself", () => {
    const { status, stdout, stderr } = spawnSync(findOpencode().path, [join(import.meta.dirname, "bun-contract.ts")], {
      encoding: "utf8",
      env: { ...process.env, BUN_BE_BUN: "1" },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const report: unknown = JSON.parse(stdout);
    expect(report).toMatchObject({
      driver: "bun:sqlite",
      outcomes: contract.map(({ name }) => ({ name, error: null })),
    });
  });
});
