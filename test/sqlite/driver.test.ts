import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { loadBetterSqlite3Driver } from "../../src/sqlite/better-sqlite3.ts";
import type { SqliteDriver } from "../../src/sqlite/database.ts";
import { loadDriver, NoSqliteError } from "../../src/sqlite/driver.ts";
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

const requireFailing = (error: Error) => () => {
  throw error;
};

describe("choosing a driver", () => {
  const broken = new Error("built for another Node");

  it("takes the first that is there, here the one of Node or better-sqlite3", async () => {
    const driver = await loadDriver();
    expect(drivers.map(({ name }) => name)).toContain(driver.name);
    const other = { ...driver, name: "bun:sqlite" } as const;
    const candidates = [
      { name: "node:sqlite", load: () => null },
      { name: "better-sqlite3", load: () => Promise.reject(broken) },
      { name: "bun:sqlite", load: () => other },
    ] as const;
    expect(await loadDriver(candidates)).toBe(other);
  });

  it("says what was tried, what went wrong and what would help when there is none", async () => {
    const candidates = [
      { name: "bun:sqlite", load: () => null },
      { name: "better-sqlite3", load: () => Promise.reject(broken) },
    ] as const;
    const failed = loadDriver(candidates);
    await expect(failed).rejects.toBeInstanceOf(NoSqliteError);
    await expect(failed).rejects.toMatchObject({ cause: broken });
    await expect(failed).rejects.toThrow(
      /Tried bun:sqlite \(not there\); better-sqlite3 \(built for another Node\)\..*install better-sqlite3/u,
    );
  });

  it("tells a better-sqlite3 that is not installed from one that cannot be loaded", () => {
    const missing = Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
    expect(loadBetterSqlite3Driver(requireFailing(missing))).toBeNull();
    expect(() => loadBetterSqlite3Driver(requireFailing(broken))).toThrow(broken);
    expect(() => loadBetterSqlite3Driver(() => ({}))).toThrow("does not export");
  });

  it("drops Node's warning that its SQLite is experimental, and no other", () => {
    const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const getBuiltinModule = vi.spyOn(process, "getBuiltinModule").mockImplementation(() => {
      process.emitWarning("SQLite is an experimental feature", "ExperimentalWarning");
      process.emitWarning("Something else", "DeprecationWarning");
      return {};
    });
    try {
      expect(loadNodeDriver()).toBeNull();
      expect(emitWarning.mock.calls).toEqual([["Something else", "DeprecationWarning"]]);
      expect(Reflect.get(process, "emitWarning")).toBe(emitWarning);
    } finally {
      getBuiltinModule.mockRestore();
      emitWarning.mockRestore();
    }
  });
});
