import * as fs from "node:fs/promises";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { ErrorLog, LARGEST_LOG_BYTES } from "../../src/archive/error-log.ts";
import { type FileSystem, nodeFileSystem } from "../../src/archive/file-system.ts";
import { createMasker } from "../../src/redact/mask.ts";
import { buildConversation, userMessage } from "../support/builders.ts";
import { fullPass, Harness, update } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.make();
});
afterEach(() => harness.dispose());

describe("when the disk is full", () => {
  test("the old file stays whole, one line says so, and the last state is written later", async () => {
    let full = false;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      async open(...args: Parameters<FileSystem["open"]>) {
        const handle = await fs.open(...args);
        if (full && args[1] === "wx") {
          handle.appendFile = () =>
            Promise.reject(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" }));
        }
        return handle;
      },
    };
    const archive = harness.open({ fileSystem });
    await fullPass(archive, harness.session(), buildConversation("ses_1", 3));
    await archive.flush();
    const before = await harness.text("ses_1.json");
    full = true;
    await update(archive, harness.session(), [userMessage("msg_9", "later")]);
    for (let attempt = 0; attempt < 3; attempt += 1) await archive.flush();
    expect(await harness.text("ses_1.json")).toBe(before);
    expect((await harness.text("sync-errors.log")).split("\n")).toEqual([
      expect.stringMatching(/archive: The archive cannot be written: the disk with \S+ is full; make room on it\.$/u),
      "",
    ]);
    full = false;
    await archive.flush();
    expect((await harness.json("ses_1.json")).turns.length).toBe(4);
    expect(await harness.names()).toEqual([".gitignore", ".ignore", "index.json", "ses_1.json", "sync-errors.log"]);
  });
});

test("the folder comes back when somebody removed it", async () => {
  const archive = harness.open();
  const session = harness.session();
  await fullPass(archive, session, buildConversation("ses_1", 3));
  await archive.flush();
  await fs.rm(join(harness.root, ".opencode"), { recursive: true });
  await update(archive, session, [userMessage("msg_9", "later")]);
  await archive.flush();
  await archive.flush();
  // What stood in the removed file is only with the host now.
  expect((await harness.json("ses_1.json")).sync.complete).toBe(false);
  await fullPass(archive, session, [...buildConversation("ses_1", 3), userMessage("msg_9", "later")]);
  await archive.flush();
  expect((await harness.json("ses_1.json")).turns.length).toBe(4);
  expect(await harness.names()).toContain(".gitignore");
});

test("temporary files of processes that are gone are removed, those of living ones are not", async () => {
  const first = harness.open();
  await fullPass(first, harness.session(), []);
  await first.flush();
  const living = `.ses_1.json.${process.pid}-0123456789abcdef.tmp`;
  // No system hands out process ids as high as this.
  await fs.writeFile(harness.path(".ses_1.json.999999999-0123456789abcdef.tmp"), "half");
  await fs.writeFile(harness.path(living), "half");
  await harness.open().outdated([]);
  expect(await harness.names()).toEqual([".gitignore", ".ignore", living, "index.json", "ses_1.json"]);
});

describe("the folder's ignore files", () => {
  test("hide everything, and a person's own are left as they are", async () => {
    const archive = harness.open();
    await fullPass(archive, harness.session(), []);
    await archive.flush();
    expect([await harness.text(".gitignore"), await harness.text(".ignore")]).toEqual(["*\n", "*\n"]);
    await fs.writeFile(harness.path(".gitignore"), "*.log\n");
    const restarted = harness.open();
    await update(restarted, harness.session({ title: "x" }), []);
    await restarted.flush();
    expect(await harness.text(".gitignore")).toBe("*.log\n");
  });

  test("leave the sessions to git when that is wanted", async () => {
    const hidden = harness.open();
    await fullPass(hidden, harness.session(), []);
    await hidden.flush();
    const shown = harness.open({ gitignore: false });
    await update(shown, harness.session({ title: "x" }), []);
    await shown.flush();
    expect(await harness.names()).toEqual([".ignore", "index.json", "ses_1.json"]);
  });
});

async function makeLog(): Promise<ErrorLog> {
  await fs.mkdir(harness.folder, { recursive: true });
  return new ErrorLog({
    fileSystem: nodeFileSystem,
    clock: harness.clock,
    masker: createMasker(),
    folder: harness.folder,
  });
}

describe("the error log", () => {
  test("is one line for each failure, without line breaks or secrets", async () => {
    const log = await makeLog();
    const token = `glpat-${"a1B2".repeat(6)}`;
    log.note("ses_1", `two\nlines, \u0000 and \u2028 and ${token}`);
    log.note("ses_2", "second");
    await log.write();
    await log.write();
    expect(await harness.text("sync-errors.log")).toBe(
      String.raw`2026-07-29T12:00:00.000Z ses_1: two\nlines, \u0000 and \u2028 and [redacted:gitlab-token]` +
        "\n2026-07-29T12:00:00.000Z ses_2: second\n",
    );
  });

  test("is set aside at a megabyte", async () => {
    const log = await makeLog();
    await fs.writeFile(harness.path("sync-errors.log"), "x".repeat(LARGEST_LOG_BYTES));
    log.note("ses_1", "after");
    await log.write();
    expect(await harness.text("sync-errors.log")).toMatch(/^2026-\S+ ses_1: after\n$/u);
    expect((await fs.stat(harness.path("sync-errors.log.1"))).size).toBe(LARGEST_LOG_BYTES);
  });
});
