import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { systemClock } from "../../src/runtime/clock.ts";
import type { SearchIndex, SearchIndexOptions } from "../../src/search-index/search-index.ts";
import { createHistorySearch } from "../../src/search/history-search.ts";
import { type Database, SqliteError, type SqliteErrorCode } from "../../src/sqlite/database.ts";
import { type DriverCandidate, loadDriver, NoSqliteError } from "../../src/sqlite/driver.ts";
import { sql } from "../../src/sqlite/sql.ts";
import { openTestIndex, removeFolder, store, temporaryFolder, testDriver } from "../search-index/opened-index.ts";
import { buildSession, textPart, toolPart, assistantMessage, userMessage } from "../support/builders.ts";
import { setUpTools } from "../support/tools.ts";
import { SearchUnavailableError } from "../../src/search/request.ts";
import { brokenDriver } from "./broken-driver.ts";
import { requestOf } from "./told-history.ts";

function folder(): string {
  const directory = temporaryFolder();
  onTestFinished(() => removeFolder(directory));
  return directory;
}

async function open(directory: string, options: Partial<SearchIndexOptions> = {}): Promise<SearchIndex> {
  const index = await openTestIndex(directory, options);
  onTestFinished(() => index.close());
  return index;
}

/** Stores a session that says "needle", and searches for it. */
async function storeAndFind(index: SearchIndex): Promise<string[]> {
  await store(index, buildSession(), [userMessage("msg_1", "a needle in here")]);
  return find(index);
}

async function find(index: SearchIndex): Promise<string[]> {
  const search = createHistorySearch({ index, clock: systemClock });
  return (await search.searchSessions(requestOf("needle"))).hits.map(({ sessionId }) => sessionId);
}

function journalOf(index: SearchIndex): unknown {
  return index.readConnection().all(sql`PRAGMA journal_mode`)[0]?.["journal_mode"];
}

test.each<[what: string, code: SqliteErrorCode, refused: RegExp]>([
  ["at the setting", "locking-protocol", /journal_mode = WAL/u],
  ["at the first read after it", "locking-protocol", /sqlite_schema/u],
  ["as a failing read of shared memory", "io", /journal_mode = WAL/u],
])(
  "case 35: where a write-ahead log cannot be had, another journal is used: refused %s",
  async (_what, code, refused) => {
    let refusals = 0;
    let isAsked = false;
    const driver = brokenDriver((text) => {
      isAsked ||= text.includes("journal_mode = WAL");
      if (!isAsked || refusals > 0 || !refused.test(text)) return;
      refusals += 1;
      throw new SqliteError(code, "locking protocol");
    });
    const index = await open(folder(), { driver });
    expect(refusals).toBe(1);
    expect(await storeAndFind(index)).toEqual(["ses_1"]);
    expect(index.mayYieldInReads).toBe(false);
    expect(index.path).not.toBeNull();
  },
);

test.each([
  ["NFS", 0x6969],
  ["CIFS", 0xff534d42],
  ["9P", 0x01021997],
  ["FUSE", 0x65735546],
])("case 36: on %s there is no write-ahead log", async (_name, type) => {
  const directory = folder();
  const index = await open(directory, { fileSystemType: () => type });
  expect(await storeAndFind(index)).toEqual(["ses_1"]);
  expect(journalOf(index)).not.toBe("wal");
  expect(existsSync(`${index.path}-wal`)).toBe(false);
  expect(existsSync(`${index.path}-shm`)).toBe(false);
});

test.each([
  ["ext4", 0xef53],
  ["none that is known", null],
] as const)("case 36: on %s there is one", async (_name, type) => {
  const index = await open(folder(), { fileSystemType: () => type });
  expect(await storeAndFind(index)).toEqual(["ses_1"]);
  expect(journalOf(index)).toBe("wal");
});

/** A sound index of one session, closed. */
async function soundIndex(directory: string): Promise<string> {
  const index = await openTestIndex(directory);
  await storeAndFind(index);
  const { path } = index;
  await index.close();
  if (path === null) throw new Error("The index was kept in memory.");
  return path;
}

function overwrite(path: string, offset: number, bytes: Buffer): void {
  const file = readFileSync(path);
  bytes.copy(file, offset);
  writeFileSync(path, file);
}

const GARBAGE = Buffer.alloc(4096, "no database ");

const DAMAGES: readonly (readonly [what: string, damage: (path: string) => void])[] = [
  ["4 kB of garbage", (path) => writeFileSync(path, GARBAGE)],
  ["a header of something else", (path) => overwrite(path, 0, Buffer.from("PK\u0003\u0004 not SQLite at all"))],
  ["page 2 zeroed", (path) => overwrite(path, 4096, Buffer.alloc(4096))],
  ["page 3 zeroed", (path) => overwrite(path, 2 * 4096, Buffer.alloc(4096))],
  ["page 4 full of garbage", (path) => overwrite(path, 3 * 4096, GARBAGE)],
  ["its second half cut off", (path) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096)],
  [
    "garbage, with a log and shared memory of another file",
    (path) => {
      writeFileSync(path, GARBAGE);
      writeFileSync(`${path}-wal`, GARBAGE);
      writeFileSync(`${path}-shm`, Buffer.alloc(32_768));
    },
  ],
];

test.each(DAMAGES)(
  "case 38: %s: set aside with all that belongs to it, built again, and searched",
  async (_what, damage) => {
    const directory = folder();
    const path = await soundIndex(directory);
    damage(path);
    const index = await open(directory);
    expect(index.path).toBe(path);
    expect(await find(index)).toEqual([]);
    expect(await index.outdated([buildSession()])).toEqual(new Set(["ses_1"]));
    expect(await storeAndFind(index)).toEqual(["ses_1"]);
    expect(existsSync(`${path}.damaged`)).toBe(true);
    expect(readFileSync(`${path}-wal`).includes("no database")).toBe(false);
  },
);

test.each([
  ["its log cut to half", "-wal", 0.5],
  ["its log emptied", "-wal", 0],
  ["its file emptied", "", 0],
])("case 38: %s while it is in use: it serves on without a restart", async (_what, suffix, share) => {
  const index = await open(folder());
  await storeAndFind(index);
  const damaged = `${index.path}${suffix}`;
  truncateSync(damaged, Math.floor(statSync(damaged).size * share));
  let found: string[] | null = null;
  for (let attempt = 0; attempt < 20 && found === null; attempt += 1) {
    // What fails is tried again, as sync does.
    await delay(50);
    found = await storeAndFind(index).catch(() => null);
  }
  expect(found).toEqual(["ses_1"]);
});

test("case 38: a log that another file left behind does no harm", async () => {
  const [directory, other] = [folder(), folder()];
  const path = await soundIndex(directory);
  const foreign = await openTestIndex(other);
  await store(foreign, buildSession({ id: "ses_other" }), [userMessage("msg_1", "somebody else's needle")]);
  copyFileSync(`${foreign.path}-wal`, `${path}-wal`);
  await foreign.close();
  const index = await open(directory);
  expect((await find(index)).filter((id) => id !== "ses_1" && id !== "ses_other")).toEqual([]);
  expect(await storeAndFind(index)).toContain("ses_1");
});

test("case 38: an empty file is a new index, and nothing is set aside", async () => {
  const directory = folder();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "index-v1.sqlite"), "");
  const index = await open(directory);
  expect(await storeAndFind(index)).toEqual(["ses_1"]);
  expect(existsSync(`${index.path}.damaged`)).toBe(false);
});

/** Whether the write lock is to be had. */
function mayWrite(database: Database): boolean {
  try {
    database.exec("BEGIN IMMEDIATE; COMMIT");
    return true;
  } catch (error) {
    if (error instanceof SqliteError && error.code === "busy") return false;
    throw error;
  }
}

test("case 45: others write and search while a long session is written", async () => {
  const directory = folder();
  const index = await open(directory);
  await storeAndFind(index);
  const other = testDriver().open({ path: index.path ?? "", readOnly: false, busyTimeoutMs: 0 });
  onTestFinished(() => other.close());
  const long = Array.from({ length: 60 }, (_, place) =>
    assistantMessage(`msg_${place}`, [toolPart("bash", {}, { output: `line ${place} `.repeat(8000) })]),
  );
  const turns = { over: false, written: 0, searched: 0 };
  const written = store(index, buildSession({ id: "ses_long" }), long).finally(() => {
    turns.over = true;
  });
  while (!turns.over) {
    if (mayWrite(other)) turns.written += 1;
    turns.searched += (await find(index)).length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await written;
  expect(turns.written).toBeGreaterThan(10);
  expect(turns.searched).toBeGreaterThan(10);
});

test.each<[what: string, load: DriverCandidate["load"], said: RegExp]>([
  ["there is none", () => null, /Tried bun:sqlite \(not there\)/u],
  ["it was built for another Node", () => Promise.reject(new Error("wrong ABI")), /bun:sqlite \(wrong ABI\)/u],
  ["it fails with no error", () => Promise.reject("out of order"), /bun:sqlite \(out of order\)/u],
])("case 62: without any SQLite it is said what was tried and what helps: %s", async (_what, load, said) => {
  const failure: unknown = await loadDriver([{ name: "bun:sqlite", load }]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NoSqliteError);
  expect(failure).toMatchObject({ message: expect.stringMatching(said) });
  const unavailable = new SearchUnavailableError(String(failure));
  const answer = setUpTools({ failure: unavailable }).run("history-search-messages", { query: "x" });
  await expect(answer).rejects.toThrow(/cannot be searched in this OpenCode: .*No SQLite can be loaded/u);
});

test("case 62: a driver that cannot be loaded keeps no other from being used", async () => {
  const driver = await loadDriver([
    { name: "bun:sqlite", load: () => Promise.reject(new Error("not Bun")) },
    { name: "node:sqlite", load: () => null },
    { name: "better-sqlite3", load: () => testDriver() },
  ]);
  expect(driver.name).toBe("better-sqlite3");
});

test.each([
  ["an SQLite before 3.34", /trigram/u, "no such tokenizer: trigram"],
  ["an SQLite without FTS5", /fts5/iu, "no such module: fts5"],
  ["an SQLite in which options are unknown", /case_sensitive/u, "parse error in tokenize directive"],
])("case 64: %s is searched by reading, and says so", async (_what, refused, message) => {
  const driver = brokenDriver((text) => {
    if (refused.test(text)) throw new SqliteError("other", message);
  });
  const directory = folder();
  const index = await open(directory, { driver });
  expect(await storeAndFind(index)).toEqual(["ses_1"]);
  expect(index.hasPostings).toBe(false);
  expect(index.coverage().troubles).toContainEqual(expect.stringMatching(/no trigram index/u));

  // A host with postings must not take over an index that lacks some.
  const other = await open(directory);
  expect(other.path).not.toBe(index.path);
  expect(await storeAndFind(other)).toEqual(["ses_1"]);
});

test("case 64: titles, short words and phrases are found there too", async () => {
  const driver = brokenDriver((text) => {
    if (/trigram/u.test(text)) throw new SqliteError("other", "no such tokenizer: trigram");
  });
  const index = await open(folder(), { driver });
  await store(index, buildSession({ title: "Über 部署" }), [
    userMessage("msg_1", "", { parts: [textPart("go home")] }),
  ]);
  const search = createHistorySearch({ index, clock: systemClock });
  for (const query of ["go", '"go h"', "uber", "部署", "title:部署"]) {
    expect((await search.searchSessions(requestOf(query))).hits).toHaveLength(1);
  }
});
