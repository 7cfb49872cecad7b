import { existsSync } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { Archive } from "../../src/archive/archive.ts";
import { type FileSystem, nodeFileSystem } from "../../src/archive/file-system.ts";
import { buildConversation } from "../support/builders.ts";
import { createRecordingLogger } from "../support/recording-logger.ts";
import { fullPass, Harness } from "./harness.ts";

let harness: Harness;
let log: ReturnType<typeof createRecordingLogger>;
beforeEach(async () => {
  harness = await Harness.make();
  log = createRecordingLogger();
});
afterEach(() => harness.dispose());

const SESSIONS = ["ses_1", "ses_2", "ses_3", "ses_4"];

async function feed(archive: Archive, ids: readonly string[] = SESSIONS): Promise<void> {
  for (const id of ids) await fullPass(archive, harness.session({ id }), buildConversation(id, 2));
}

/** As a disk that refuses new files in the archive's folder, and a folder where there is none. */
function refusing(code: () => string | null): FileSystem {
  const failure = (syscall: string, path: string) => {
    const named = code() ?? "";
    return Object.assign(new Error(`${named}: refused, ${syscall} '${path}'`), { code: named, syscall, path });
  };
  return {
    ...nodeFileSystem,
    async open(...args: Parameters<FileSystem["open"]>) {
      const path = String(args[0]);
      if (code() !== null && args[1] === "wx" && path.startsWith(harness.folder)) throw failure("open", path);
      return fs.open(...args);
    },
    get mkdir() {
      if (code() === null || existsSync(harness.folder)) return fs.mkdir;
      return () => Promise.reject(failure("mkdir", harness.folder));
    },
  };
}

const config = () => join(harness.root, ".opencode");
const messages = () => log.lines.map(({ message }) => message);

describe("what stands in the folder's way is said once, with what to do", () => {
  const cases: { name: string; block: () => Promise<void>; clear: () => Promise<void>; says: () => string }[] = [
    {
      name: "a file in its place",
      block: async () => {
        await fs.mkdir(config());
        await fs.writeFile(harness.folder, "mine");
      },
      clear: () => fs.rm(harness.folder),
      says: () => `a file stands at ${harness.folder}, where a folder should be; move the file away`,
    },
    {
      name: "a file in the place of .opencode",
      block: () => fs.writeFile(config(), "mine"),
      clear: () => fs.rm(config()),
      says: () => `a file stands at ${config()}, where a folder should be; move the file away`,
    },
    {
      name: "a link to a file",
      block: async () => {
        await fs.mkdir(config());
        await fs.writeFile(join(harness.root, "mine"), "");
        await fs.symlink("../mine", harness.folder);
      },
      clear: () => fs.rm(harness.folder),
      says: () => `a file stands at ${harness.folder}, where a folder should be; move the file away`,
    },
    {
      name: "a link that leads nowhere",
      block: async () => {
        await fs.mkdir(config());
        await fs.symlink("nowhere", harness.folder);
      },
      clear: () => fs.rm(harness.folder),
      says: () => `${harness.folder} is a link that leads nowhere; remove it, or make the folder it names`,
    },
    {
      name: "a link that leads nowhere in the place of .opencode",
      block: () => fs.symlink("nowhere", config()),
      clear: () => fs.rm(config()),
      says: () => `${config()} is a link that leads nowhere; remove it, or make the folder it names`,
    },
    {
      name: "a link to itself",
      block: async () => {
        await fs.mkdir(config());
        await fs.symlink("sessions", harness.folder);
      },
      clear: () => fs.rm(harness.folder),
      says: () => `${harness.folder} is a link that leads nowhere; remove it, or make the folder it names`,
    },
    {
      name: "a link out of the worktree",
      block: async () => {
        await fs.mkdir(config());
        await fs.symlink("/", harness.folder);
      },
      clear: () => fs.rm(harness.folder),
      says: () =>
        `its folder ${harness.folder} is a link to /, outside the worktree; name that folder in the option ` +
        `archive.directory if sessions should go there`,
    },
  ];

  test.each(cases)("$name", async ({ block, clear, says }) => {
    await block();
    const archive = harness.open({ log });
    expect(archive.trouble).toBeNull();
    await feed(archive);
    for (let attempt = 0; attempt < 3; attempt += 1) await archive.flush();
    const sentence = `The archive cannot be written: ${says()}.`;
    expect(messages()).toEqual([sentence]);
    expect(archive.trouble).toBe(sentence);

    await clear();
    await archive.flush();
    expect(archive.trouble).toBeNull();
    expect((await harness.list()).map(({ id }) => id)).toEqual(SESSIONS);
    expect(await harness.text("sync-errors.log")).toBe(`2026-07-29T12:00:00.000Z archive: ${sentence}\n`);
    expect(messages()).toEqual([sentence]);
  });
});

const may = (folder: string) =>
  `${folder} may not be read and written; change its permissions, or name another folder in the option archive.directory`;

describe("a folder that refuses its files is told of once", () => {
  const cases: { code: string; says: (folder: string) => string }[] = [
    { code: "EACCES", says: may },
    { code: "EPERM", says: may },
    {
      code: "EROFS",
      says: () =>
        `${harness.folder} lies on a disk that may only be read; name another folder in the option archive.directory`,
    },
    { code: "ENOSPC", says: () => `the disk with ${harness.folder} is full; make room on it` },
    { code: "EDQUOT", says: () => `the disk quota for ${harness.folder} is used up; make room` },
    {
      code: "EIO",
      says: () => `its folder ${harness.folder} cannot be used (EIO)`,
    },
  ];

  test.each(cases)("with $code, before it is there", async ({ code, says }) => {
    let refused: string | null = code;
    const archive = harness.open({ log, fileSystem: refusing(() => refused) });
    await feed(archive);
    for (let attempt = 0; attempt < 3; attempt += 1) await archive.flush();
    const sentence = `The archive cannot be written: ${says(harness.root)}.`;
    expect([messages(), archive.trouble]).toEqual([[sentence], sentence]);
    refused = null;
    await archive.flush();
    expect([(await harness.list()).length, archive.trouble, messages()]).toEqual([SESSIONS.length, null, [sentence]]);
  });

  test.each(cases.filter(({ code }) => code !== "EIO"))("with $code, once it holds files", async ({ code, says }) => {
    let refused: string | null = null;
    const archive = harness.open({ log, fileSystem: refusing(() => refused) });
    await feed(archive, ["ses_0"]);
    await archive.flush();
    refused = code;
    await feed(archive);
    for (let attempt = 0; attempt < 3; attempt += 1) await archive.flush();
    const sentence = `The archive cannot be written: ${says(harness.folder)}.`;
    expect([messages(), archive.trouble]).toEqual([[sentence], sentence]);
    refused = null;
    await archive.flush();
    expect([(await harness.list()).length, archive.trouble]).toEqual([SESSIONS.length + 1, null]);
  });

  test("again when the cause changes, and when it had worked in between", async () => {
    let refused: string | null = "EACCES";
    const archive = harness.open({ log, fileSystem: refusing(() => refused) });
    await feed(archive, ["ses_1"]);
    await archive.flush();
    refused = "ENOSPC";
    await archive.flush();
    await archive.flush();
    refused = null;
    await archive.flush();
    refused = "ENOSPC";
    await feed(archive, ["ses_2", "ses_3"]);
    await archive.flush();
    expect(messages()).toEqual([
      expect.stringContaining("may not be read and written"),
      expect.stringContaining("is full"),
      expect.stringContaining("is full"),
    ]);
  });

  test("for as long as one of the writes it kept back is waiting", async () => {
    let refused: string | null = "ENOSPC";
    const archive = harness.open({ log, fileSystem: refusing(() => refused) });
    await feed(archive, ["ses_1", "ses_2"]);
    await archive.flush();
    refused = null;
    await archive.flush("ses_1");
    expect(archive.trouble).toContain("is full");
    await archive.flush();
    expect([archive.trouble, messages().length]).toEqual([null, 1]);
  });
});

/** One file's place cannot be taken. */
function holding(name: string): FileSystem {
  return {
    ...nodeFileSystem,
    async rename(from, to) {
      if (basename(String(to)) === name) {
        throw Object.assign(new Error("EIO: held"), { code: "EIO", syscall: "rename", path: from });
      }
      return fs.rename(from, to);
    },
  };
}

describe("what concerns one file", () => {
  test("is no trouble of the folder", async () => {
    const archive = harness.open({ log, fileSystem: holding("ses_1.json") });
    await feed(archive);
    await archive.flush();
    expect(archive.trouble).toBeNull();
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ session: "ses_1", problem: "EIO: held" }]);
    expect((await harness.list()).map(({ id }) => id)).toEqual(SESSIONS.slice(1));
  });

  test("is told of once the folder can be used", async () => {
    await fs.writeFile(join(harness.root, ".opencode"), "mine");
    const archive = harness.open({ log, fileSystem: holding("ses_1.json") });
    await feed(archive);
    await archive.flush();
    await fs.rm(join(harness.root, ".opencode"));
    await archive.flush();
    expect(messages()).toEqual([
      expect.stringContaining("a file stands at"),
      "The archive had a problem with a session's file.",
    ]);
    expect(archive.trouble).toBeNull();
  });
});

describe("a folder that was removed while the archive runs", () => {
  test("is made again by the write that misses it, which is no failure", async () => {
    const archive = harness.open({ log });
    await feed(archive);
    await archive.flush();
    await fs.rm(join(harness.root, ".opencode"), { recursive: true });
    // As the next listing finds it: nothing is left, and each session is read again.
    harness.clock.skipped += 10_000;
    expect(await archive.outdated(SESSIONS.map((id) => harness.session({ id })))).toEqual(new Set(SESSIONS));
    await archive.flush();
    await feed(archive);
    await archive.flush();
    expect((await harness.list()).map(({ id }) => id)).toEqual(SESSIONS);
    expect([messages(), await harness.names()]).toEqual([
      [],
      [".gitignore", ".ignore", "index.json", ...SESSIONS.map((id) => `${id}.json`)],
    ]);
  });

  test("also in the middle of a write", async () => {
    let removals = 1;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      async rename(from, to) {
        if (removals > 0) {
          removals -= 1;
          await fs.rm(harness.folder, { recursive: true });
        }
        return fs.rename(from, to);
      },
    };
    const archive = harness.open({ log, fileSystem });
    await feed(archive);
    await archive.flush();
    expect((await harness.list()).map(({ id }) => id)).toEqual(SESSIONS);
    expect([removals, messages()]).toEqual([0, []]);
  });

  test("and replaced by a file is told of as such", async () => {
    const archive = harness.open({ log });
    await feed(archive, ["ses_1"]);
    await archive.flush();
    await fs.rm(harness.folder, { recursive: true });
    await fs.writeFile(harness.folder, "mine");
    await feed(archive, ["ses_2", "ses_3"]);
    await archive.flush();
    expect(messages()).toEqual([expect.stringContaining(`a file stands at ${harness.folder}`)]);
  });
});

const refusal = () => Promise.reject(Object.assign(new Error("EACCES: refused"), { code: "EACCES" }));

describe("what may not be read", () => {
  test("of the whole folder is told of once, and the host's sessions come again when it may", async () => {
    const before = harness.open();
    await feed(before, ["ses_0"]);
    await before.flush();
    let isClosed = true;
    const fileSystem: FileSystem = {
      ...refusing(() => (isClosed ? "EACCES" : null)),
      get readdir() {
        return isClosed ? refusal : fs.readdir;
      },
    };
    const archive = harness.open({ log, fileSystem });
    const sessions = SESSIONS.map((id) => harness.session({ id }));
    expect(await archive.outdated(sessions)).toEqual(new Set());
    for (const session of sessions) expect(await archive.open(session)).toBeNull();
    archive.onEvent({ type: "session-compacted", sessionId: "ses_1", at: 0 });
    expect(await archive.fileOf("ses_0")).toBeNull();
    await expect(archive.remove("ses_0", 0)).rejects.toThrow("The archive's folder cannot be read.");
    await archive.flush();
    const sentence = `The archive cannot be written: ${may(harness.folder)}.`;
    expect([messages(), archive.trouble]).toEqual([[sentence], sentence]);

    isClosed = false;
    expect(await archive.outdated(sessions)).toEqual(new Set(SESSIONS));
    await archive.flush();
    expect([messages(), archive.trouble]).toEqual([[sentence], null]);
  });

  test("of one file holds up no other", async () => {
    const before = harness.open();
    await feed(before);
    await before.flush();
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      open: (...args: Parameters<FileSystem["open"]>) =>
        args[0] === harness.path("ses_1.json") ? refusal() : fs.open(...args),
    };
    const archive = harness.open({ log, fileSystem });
    const sessions = SESSIONS.map((id) => harness.session({ id }));
    expect(await archive.outdated(sessions)).toEqual(new Set(["ses_1"]));
    expect(archive.trouble).toBeNull();
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ session: "ses_1", problem: "EACCES: refused" }]);
  });
});

test("an ignore file that a full disk cut off is not left empty, as if a person had wanted it so", async () => {
  let isFull = true;
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    async open(...args: Parameters<FileSystem["open"]>) {
      const handle = await fs.open(...args);
      const fails = isFull && basename(String(args[0])) === ".gitignore";
      if (fails) handle.writeFile = () => Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }));
      return handle;
    },
  };
  const archive = harness.open({ log, fileSystem });
  await feed(archive, ["ses_1"]);
  await archive.flush();
  expect([await harness.names(), archive.trouble]).toEqual([[".ignore"], expect.stringContaining("is full")]);
  isFull = false;
  await archive.flush();
  expect([await harness.text(".gitignore"), archive.trouble]).toEqual(["*\n", null]);
});

test("a leftover that may not be removed keeps no archive from working", async () => {
  const first = harness.open();
  await feed(first, ["ses_1"]);
  await first.flush();
  await fs.writeFile(harness.path(".ses_1.json.999999999-0123456789abcdef.tmp"), "half");
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    rm: async () => {
      throw Object.assign(new Error("EROFS: read-only file system, unlink"), { code: "EROFS" });
    },
  };
  expect(await harness.open({ log, fileSystem }).outdated([harness.session()])).toEqual(new Set());
  expect(messages()).toEqual([]);
});
