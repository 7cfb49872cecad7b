import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { APPLICATION_ID, LAYOUT_VERSION } from "../../src/search-index/schema.ts";
import type { SearchIndex, SearchIndexOptions } from "../../src/search-index/search-index.ts";
import { type Database, SqliteError, type SqliteDriver } from "../../src/sqlite/database.ts";

import { buildConversation, buildSession } from "../support/builders.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { assertAgreement } from "./agreement.ts";
import { openTestIndex, removeFolder, sessionsWith, store, temporaryFolder, testDriver } from "./opened-index.ts";

let directory = "";
beforeEach(() => {
  directory = temporaryFolder();
});
afterEach(() => removeFolder(directory));

const indexFile = () => join(directory, "index-v1.sqlite");

function inFile(path: string, statements: string): void {
  const database = testDriver().open({ path, readOnly: false, busyTimeoutMs: 0 });
  database.exec(statements);
  database.close();
}

/** Makes a sound index of one session, larger than a handful of pages. */
async function makeIndex(id = "ses_before"): Promise<void> {
  const index = await openTestIndex(directory);
  await store(index, buildSession({ id }), buildConversation(id, 40, { text: (n) => `${"before ".repeat(100)}${n}` }));
  await index.close();
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const content = readFileSync(path);
  bytes.copy(content, at);
  writeFileSync(path, content);
}

/** What a person sees: a session stored now is found, whatever was on the disk. */
async function searchWorks(index: SearchIndex): Promise<void> {
  await store(index, buildSession({ id: "ses_now" }), buildConversation("ses_now", 3, { text: () => "findable now" }));
  expect(sessionsWith(index, "findable")).toEqual(["ses_now"]);
  if (index.hasPostings) assertAgreement(index.readConnection());
}

interface Situation {
  readonly name: string;
  readonly arrange: () => Promise<void> | void;
  /** What the folder holds afterwards, beside the files that SQLite works with. */
  readonly files: readonly string[];
  /** Whether what an index held before is still found. */
  readonly keeps?: boolean;
  readonly uses?: string;
}

const alternative = `index-v1-${LAYOUT_VERSION}.sqlite`;

const situations: readonly Situation[] = [
  { name: "an empty folder", arrange: () => {}, files: ["index-v1.sqlite"] },
  { name: "no folder", arrange: () => rmSync(directory, { recursive: true }), files: ["index-v1.sqlite"] },
  { name: "an index of ours", arrange: () => makeIndex(), files: ["index-v1.sqlite"], keeps: true },
  { name: "a file of no bytes", arrange: () => writeFileSync(indexFile(), ""), files: ["index-v1.sqlite"] },
  {
    name: "a file of garbage (case 38)",
    arrange: () => writeFileSync(indexFile(), "garbage ".repeat(512)),
    files: ["index-v1.sqlite", "index-v1.sqlite.damaged"],
  },
  {
    name: "garbage for a second time: one damaged file is kept",
    arrange: () => {
      writeFileSync(`${indexFile()}.damaged`, "older garbage");
      writeFileSync(indexFile(), "garbage ".repeat(512));
    },
    files: ["index-v1.sqlite", "index-v1.sqlite.damaged"],
  },
  {
    name: "a sound header and a zeroed page (case 38)",
    async arrange() {
      await makeIndex();
      overwrite(indexFile(), 2 * 4096, Buffer.alloc(4096));
    },
    files: ["index-v1.sqlite", "index-v1.sqlite.damaged"],
  },
  {
    name: "an index of ours without one of its tables",
    async arrange() {
      await makeIndex();
      inFile(indexFile(), "DROP TABLE document_tools");
    },
    files: ["index-v1.sqlite", "index-v1.sqlite.damaged"],
  },
  {
    name: "a file cut in half",
    async arrange() {
      await makeIndex();
      truncateSync(indexFile(), Math.floor(statSync(indexFile()).size / 2));
    },
    files: ["index-v1.sqlite", "index-v1.sqlite.damaged"],
  },
  {
    name: "a stale write-ahead log of garbage beside it",
    async arrange() {
      await makeIndex();
      writeFileSync(`${indexFile()}-wal`, "stale ".repeat(2000));
    },
    files: ["index-v1.sqlite"],
    keeps: true,
  },
  {
    name: "the write-ahead log of another index beside it (case 38)",
    async arrange() {
      const other = testDriver().open({ path: join(directory, "other"), readOnly: false, busyTimeoutMs: 0 });
      other.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE a (b); CREATE TABLE c (d)");
      other.exec(`INSERT INTO a VALUES ('${"x".repeat(9000)}')`);
      const log = readFileSync(join(directory, "other-wal"));
      other.close();
      rmSync(join(directory, "other"));
      await makeIndex();
      writeFileSync(`${indexFile()}-wal`, log);
    },
    // SQLite reads the log into the file, which then looks like somebody else's, and is left alone.
    files: [alternative, "index-v1.sqlite"],
    uses: alternative,
  },
  {
    name: "an older layout of ours: dropped in place",
    arrange: () =>
      inFile(
        indexFile(),
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1; CREATE TABLE sessions (old);
         CREATE TABLE "with ""quote" (a); CREATE VIRTUAL TABLE postings USING fts5 (text);
         CREATE VIRTUAL TABLE counts USING fts5vocab ('postings', 'row'); INSERT INTO postings VALUES ('old')`,
      ),
    files: ["index-v1.sqlite"],
  },
  {
    name: "a newer layout of ours: left alone",
    arrange: () =>
      inFile(
        indexFile(),
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${LAYOUT_VERSION + 1}; CREATE TABLE sessions (new)`,
      ),
    files: [alternative, "index-v1.sqlite"],
    uses: alternative,
  },
  {
    name: "somebody else's database: left alone",
    arrange: () => inFile(indexFile(), "CREATE TABLE sessions (theirs); INSERT INTO sessions VALUES (1)"),
    files: [alternative, "index-v1.sqlite"],
    uses: alternative,
  },
  {
    name: "garbage in the lock file",
    arrange: () => writeFileSync(join(directory, "opening.lock"), "garbage ".repeat(512)),
    files: ["index-v1.sqlite"],
  },
];

describe("opening where there is", () => {
  it.each(situations)("$name", async ({ arrange, files, keeps = false, uses = "index-v1.sqlite" }) => {
    await arrange();
    const index = await openTestIndex(directory);
    expect(index.path).toBe(join(directory, uses));
    expect(sessionsWith(index, "before")).toEqual(keeps ? ["ses_before"] : []);
    expect(await index.outdated([buildSession({ id: "ses_before" })])).toEqual(new Set(keeps ? [] : ["ses_before"]));
    await searchWorks(index);
    expect(index.coverage().troubles).toEqual([]);
    await index.close();
    const left = readdirSync(directory).filter((name) => !/(?:^opening\.lock|-wal|-shm|-journal)$/u.test(name));
    expect(left.sort()).toEqual([...files].sort());
  });

  it.each(situations.filter(({ name }) => name.endsWith("left alone")))(
    "$name: not a byte changes",
    async (situation) => {
      await situation.arrange();
      const before = readFileSync(indexFile());
      const index = await openTestIndex(directory);
      await searchWorks(index);
      await index.close();
      expect(readFileSync(indexFile()).equals(before)).toBe(true);
    },
  );

  it("keeps everything private, whatever was there before", async () => {
    mkdirSync(join(directory, "index"), { mode: 0o755 });
    writeFileSync(join(directory, "index", "index-v1.sqlite"), "", { mode: 0o644 });
    const index = await openTestIndex(join(directory, "index"));
    await searchWorks(index);
    const modes = ["", ...readdirSync(join(directory, "index"))].map((name) => {
      const stats = statSync(join(directory, "index", name));
      return [name, (stats.mode & 0o777).toString(8)];
    });
    await index.close();
    expect(Object.fromEntries(modes)).toEqual({
      "": "700",
      "index-v1.sqlite": "600",
      "index-v1.sqlite-wal": "600",
      "index-v1.sqlite-shm": "600",
      "opening.lock": "600",
    });
  });

  it("leaves the mode of a folder in which other things lie as it is, and is private in it", async () => {
    const shared = join(directory, "shared");
    mkdirSync(shared);
    // Not through `mkdir`, whose mode the umask may cut.
    chmodSync(shared, 0o775);
    writeFileSync(join(shared, "notes.txt"), "mine", { mode: 0o644 });
    const index = await openTestIndex(shared);
    await searchWorks(index);
    await index.close();
    const mode = (name: string) => (statSync(join(shared, name)).mode & 0o777).toString(8);
    expect([mode(""), mode("notes.txt"), mode("index-v1.sqlite")]).toEqual(["775", "644", "600"]);
  });

  it("opens once for many at the same time, garbage or not", async () => {
    writeFileSync(indexFile(), "garbage ".repeat(512));
    const indexes = await Promise.all(Array.from({ length: 6 }, () => openTestIndex(directory)));
    await Promise.all(
      indexes.map((index, n) =>
        store(index, buildSession({ id: `ses_${n}` }), buildConversation(`ses_${n}`, 5, { text: () => "together" })),
      ),
    );
    for (const index of indexes) expect(sessionsWith(index, "together")).toHaveLength(6);
    await Promise.all(indexes.map((index) => index.close()));
  });
});

/** A driver whose connections can be made to fail. */
function failingDriver(fails: (text: string) => SqliteError | null): SqliteDriver {
  const driver = testDriver();
  const check = (text: string): void => {
    const error = fails(text);
    if (error !== null) throw error;
  };
  return {
    ...driver,
    open(options) {
      const database = driver.open(options);
      const failing: Database = {
        get inTransaction() {
          return database.inTransaction;
        },
        all(statement) {
          check(statement.text);
          return database.all(statement);
        },
        run(statement) {
          check(statement.text);
          return database.run(statement);
        },
        iterate: (statement) => database.iterate(statement),
        exec(text) {
          check(text);
          database.exec(text);
        },
        close: () => database.close(),
      };
      return failing;
    },
  };
}

const failWhen = (pattern: RegExp, error: SqliteError) => (text: string) => (pattern.test(text) ? error : null);

describe("where the index cannot lie on disk", () => {
  const hopeless: readonly (readonly [string, RegExp, () => Partial<SearchIndexOptions>])[] = [
    [
      "the folder's place is taken by a file",
      /in memory only.*its folder is not a folder/u,
      () => {
        writeFileSync(join(directory, "file"), "");
        return { directory: join(directory, "file", "index") };
      },
    ],
    [
      "the folder may only be read",
      /in memory only.*may only be read/u,
      () => ({ driver: failingDriver(failWhen(/journal_mode/u, new SqliteError("read-only", "attempt to write"))) }),
    ],
    [
      "the disk is full",
      /in memory only.*the disk is full/u,
      () => ({
        driver: failingDriver(failWhen(/journal_mode/u, new SqliteError("full", "database or disk is full"))),
      }),
    ],
    [
      "every file name is taken",
      /in memory only.*cannot be opened/u,
      () => {
        const names = ["", `-${LAYOUT_VERSION}`, `-${LAYOUT_VERSION}-2`, `-${LAYOUT_VERSION}-3`];
        for (const name of names) inFile(join(directory, `index-v1${name}.sqlite`), "CREATE TABLE theirs (a)");
        return {};
      },
    ],
  ];

  it.each(hopeless)("%s: it works in memory and says so", async (_name, trouble, arrange) => {
    const index = await openTestIndex(directory, arrange());
    expect(index.path).toBeNull();
    await searchWorks(index);
    expect(index.coverage().troubles).toEqual([expect.stringMatching(trouble)]);
    index.beginRead();
    const written = store(index, buildSession({ id: "ses_2" }), []);
    index.endRead();
    await written;
    await index.close();
  });

  it("waits for a process that holds the file, then works in memory, then returns to the file", async () => {
    await makeIndex();
    const holder = testDriver().open({ path: indexFile(), readOnly: false, busyTimeoutMs: 0 });
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE sessions SET title = 'x'");
    let rebuilt = 0;
    const clock = new FakeClock();
    const index = await openTestIndex(directory, { clock, patienceMs: 0, onRebuilt: () => (rebuilt += 1) });
    expect(index.coverage().troubles).toEqual([expect.stringMatching(/another process holds it locked/u)]);
    holder.close();
    await clock.advance(60_000);
    await index.outdated([]);
    expect([index.path, rebuilt, index.coverage().troubles]).toEqual([indexFile(), 1, []]);
    expect(sessionsWith(index, "before")).toEqual(["ses_before"]);
    await index.close();
  });

  it("opens as soon as a lock is released", async () => {
    await makeIndex();
    const holder = testDriver().open({ path: indexFile(), readOnly: false, busyTimeoutMs: 0 });
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE sessions SET title = 'x'");
    const opening = openTestIndex(directory);
    await new Promise((resolve) => setTimeout(resolve, 100));
    holder.close();
    const index = await opening;
    expect(index.path).toBe(indexFile());
    await index.close();
  });
});

describe("what a host's SQLite or file system lacks", () => {
  it.each([
    [0x6969, "rollback"],
    [0xfe534d42, "rollback"],
    [0xef53, "wal"],
    [null, "wal"],
  ])("on a file system of type %s it keeps a %s journal", async (type, journal) => {
    const index = await openTestIndex(directory, { fileSystemType: () => type });
    await searchWorks(index);
    expect(readdirSync(directory).includes("index-v1.sqlite-wal")).toBe(journal === "wal");
    expect(index.mayYieldInReads).toBe(journal === "wal");
    expect(index.coverage().troubles).toEqual([]);
    await index.close();
  });

  it("does without a write-ahead log where its locks fail (case 35)", async () => {
    const error = new SqliteError("locking-protocol", "locking protocol");
    const index = await openTestIndex(directory, { driver: failingDriver(failWhen(/journal_mode = WAL/u, error)) });
    await searchWorks(index);
    expect(index.mayYieldInReads).toBe(false);
    await index.close();
  });

  it("keeps texts without postings where there is no trigram tokenizer, in a file of its own (case 64)", async () => {
    await makeIndex();
    const error = new SqliteError("other", "no such tokenizer: trigram");
    const index = await openTestIndex(directory, { driver: failingDriver(failWhen(/trigram/u, error)) });
    expect(index.hasPostings).toBe(false);
    expect(index.path).toBe(join(directory, "index-v1-scan.sqlite"));
    await searchWorks(index);
    await index.remove("ses_now", Date.now());
    expect(sessionsWith(index, "findable")).toEqual([]);
    expect(index.coverage().troubles).toEqual([expect.stringMatching(/no trigram index/u)]);
    await index.close();
  });
});

function count(database: Database): unknown {
  return database.all({ text: "SELECT count(*) AS n FROM documents", parameters: [] })[0]?.["n"];
}

describe("while it is in use", () => {
  it("says that it cannot be written when the disk is full, and no more when it can", async () => {
    let isFull = false;
    const full = new SqliteError("full", "database or disk is full");
    const driver = failingDriver((text) => (isFull && text === "COMMIT" ? full : null));
    const index = await openTestIndex(directory, { driver });
    await searchWorks(index);
    isFull = true;
    await expect(index.open(buildSession({ id: "ses_2" }))).rejects.toThrow("full");
    expect(index.coverage().troubles).toEqual(["The search index cannot be written: the disk is full."]);
    expect(sessionsWith(index, "findable")).toEqual(["ses_now"]);
    isFull = false;
    await searchWorks(index);
    expect(index.coverage().troubles).toEqual([]);
    await index.close();
  });

  const blows: readonly (readonly [string, () => Promise<void> | void])[] = [
    [
      "its file is deleted",
      () => {
        for (const suffix of ["", "-wal", "-shm"]) rmSync(`${indexFile()}${suffix}`);
      },
    ],
    ["its folder is deleted", () => rmSync(directory, { recursive: true })],
    [
      "another version takes it over",
      () =>
        inFile(
          indexFile(),
          `DROP TABLE document_tools; ALTER TABLE documents RENAME TO x; PRAGMA user_version = ${LAYOUT_VERSION + 1}`,
        ),
    ],
  ];

  it.each(blows)("goes on when %s", async (_name, blow) => {
    let rebuilt = 0;
    const index = await openTestIndex(directory, { onRebuilt: () => (rebuilt += 1) });
    await searchWorks(index);
    const { hasPostings } = index;
    await new Promise((resolve) => setTimeout(resolve, 550));
    await blow();
    const survivor = index.open(buildSession({ id: "ses_2" }));
    expect(await survivor).not.toBeNull();
    expect([rebuilt, hasPostings]).toEqual([1, true]);
    expect(await index.outdated([buildSession({ id: "ses_now" })])).toEqual(new Set(["ses_now"]));
    await searchWorks(index);
    await index.close();
  });

  it.each(blows)("is not called whole before it was compared again, when %s", async (_name, blow) => {
    const session = buildSession({ id: "ses_now" });
    const index = await openTestIndex(directory);
    await searchWorks(index);
    await index.outdated([session]);
    index.setKnownSessions(1);
    expect(index.coverage()).toMatchObject({ complete: true, rebuilding: false });
    await new Promise((resolve) => setTimeout(resolve, 550));
    await blow();
    await index.open(buildSession({ id: "ses_2" }));
    expect(index.coverage()).toMatchObject({ knownSessions: null, complete: false, rebuilding: true });
    await index.outdated([session]);
    index.setKnownSessions(1);
    expect(index.coverage()).toMatchObject({ knownSessions: 1, complete: false, rebuilding: false });
    await searchWorks(index);
    expect(index.coverage()).toMatchObject({ complete: true, rebuilding: false });
    await index.close();
  });

  it("can be read at once when its file was deleted before the first read", async () => {
    const index = await openTestIndex(directory);
    await store(index, buildSession(), []);
    index.setKnownSessions(1);
    rmSync(directory, { recursive: true });
    const opened = index.whenOpen();
    expect(index.coverage()).toMatchObject({ complete: false, rebuilding: true });
    await opened;
    expect(count(index.beginRead())).toBe(0);
    index.endRead();
    await index.close();
  });

  it("is built anew when its file turns out to be garbage", async () => {
    await makeIndex();
    let rebuilt = 0;
    const index = await openTestIndex(directory, { onRebuilt: () => (rebuilt += 1) });
    overwrite(indexFile(), 0, Buffer.alloc(statSync(indexFile()).size, "garbage "));
    expect(() => sessionsWith(index, "before")).toThrow(/not a database|malformed/u);
    await index.outdated([]);
    expect(rebuilt).toBe(1);
    await searchWorks(index);
    expect(readdirSync(directory)).toContain("index-v1.sqlite.damaged");
    await index.close();
  });

  it("lets a search that is under way end on the old file", async () => {
    const index = await openTestIndex(directory);
    await searchWorks(index);
    const old = index.beginRead();
    await new Promise((resolve) => setTimeout(resolve, 550));
    rmSync(indexFile());
    await index.open(buildSession({ id: "ses_2" }));
    expect(count(old)).toBe(4);
    expect(count(index.beginRead())).toBe(1);
    index.endRead();
    index.endRead();
    expect(() => count(old)).toThrow("closed");
    await index.close();
  });
});
