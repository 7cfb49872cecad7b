import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { ownerOfTemporary, temporaryPath, writeAtomically } from "../../src/archive/atomic-write.ts";
import { type FileSystem, nodeFileSystem } from "../../src/archive/file-system.ts";
import { systemClock } from "../../src/runtime/clock.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "history-atomic-"));
  path = join(folder, "ses_1.json");
});
afterEach(() => fs.rm(folder, { recursive: true }));

const failure = (code: string) => Object.assign(new Error(`${code}: made up`), { code });

function write(text: string, fileSystem: FileSystem = nodeFileSystem, mayReplace?: () => Promise<boolean>) {
  return writeAtomically({
    fileSystem,
    clock: { ...systemClock, sleep: () => Promise.resolve() },
    path,
    content: (sink) => sink.write(text),
    ...(mayReplace === undefined ? {} : { mayReplace }),
  });
}

describe("an atomic write", () => {
  test("leaves the file and nothing else", async () => {
    await write("one");
    await write("two");
    expect(await fs.readFile(path, "utf8")).toBe("two");
    expect(await fs.readdir(folder)).toEqual(["ses_1.json"]);
    expect((await fs.stat(path)).mode & 0o777).toBe(0o644 & ~process.umask());
  });

  test.each(["ENOSPC", "EIO", "EDQUOT"])(
    "that meets %s leaves the old file whole, and no temporary one (case 39)",
    async (code) => {
      await write("old");
      const full: FileSystem = {
        ...nodeFileSystem,
        async open(...args: Parameters<FileSystem["open"]>) {
          const handle = await fs.open(...args);
          handle.appendFile = () => Promise.reject(failure(code));
          return handle;
        },
      };
      await expect(write("new", full)).rejects.toThrow(code);
      expect(await fs.readFile(path, "utf8")).toBe("old");
      expect(await fs.readdir(folder)).toEqual(["ses_1.json"]);
    },
  );

  test.each(["EPERM", "EBUSY", "EACCES"])("waits while another program holds the file (%s, case 42)", async (code) => {
    await write("old");
    let left = 2;
    const held: FileSystem = {
      ...nodeFileSystem,
      async rename(from, to) {
        left -= 1;
        if (left >= 0) throw failure(code);
        await fs.rename(from, to);
      },
    };
    await write("new", held);
    expect([await fs.readFile(path, "utf8"), left]).toEqual(["new", -1]);
  });

  test("gives up when the file is held for seconds", async () => {
    await write("old");
    const held: FileSystem = { ...nodeFileSystem, rename: () => Promise.reject(failure("EPERM")) };
    await expect(write("new", held)).rejects.toThrow("EPERM");
    expect(await fs.readdir(folder)).toEqual(["ses_1.json"]);
  });

  test("that may not replace the file does not", async () => {
    await write("old");
    expect(await write("new", nodeFileSystem, () => Promise.resolve(false))).toBeNull();
    expect(await fs.readFile(path, "utf8")).toBe("old");
    expect(await fs.readdir(folder)).toEqual(["ses_1.json"]);
  });

  test("does not mind others that write the same file (case 43)", async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `version ${index} `.repeat(5000));
    await Promise.all(texts.map((text) => write(text)));
    expect(texts).toContain(await fs.readFile(path, "utf8"));
    expect(await fs.readdir(folder)).toEqual(["ses_1.json"]);
  });
});

describe("a temporary name", () => {
  test("is never the same twice, and tells whose it is", () => {
    const names = Array.from({ length: 100 }, () => temporaryPath(path).slice(folder.length + 1));
    expect(new Set(names).size).toBe(100);
    expect(new Set(names.map((name) => ownerOfTemporary(name)))).toEqual(new Set([process.pid]));
  });

  test.each([".x.tmp", "ses_1.json", ".gitignore", ".a.12-xyz.tmp"])("is not %s", (name) => {
    expect(ownerOfTemporary(name)).toBeNull();
  });
});
