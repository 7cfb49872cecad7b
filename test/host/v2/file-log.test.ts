import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createFileLog } from "../../../src/host/v2/file-log.ts";
import { until } from "../../support/conversation.ts";
import { FakeClock } from "../../support/fake-clock.ts";

let root: string;
let file: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "file-log-"));
  file = join(root, "history-search", "history-search.log");
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function linesOnceThere(count: number): Promise<readonly string[]> {
  return until(`${String(count)} lines in the log`, async () => {
    const lines = await readFile(file, "utf8").then(
      (text) => text.split("\n").filter((line) => line !== ""),
      () => [],
    );
    return lines.length >= count ? lines : null;
  });
}

describe("the log on 2.x", () => {
  it("writes one line each, in order, into a private file", async () => {
    const log = createFileLog(file, new FakeClock(0));
    log.debug("not worth a line");
    log.info("found", { version: "2.0.26", pid: 7 });
    log.warn("two\r\nlines");
    log.error("failed", { reason: "a\nb" });
    expect(await linesOnceThere(3)).toEqual([
      '1970-01-01T00:00:00.000Z INFO found version="2.0.26" pid=7',
      "1970-01-01T00:00:00.000Z WARN two lines",
      '1970-01-01T00:00:00.000Z ERROR failed reason="a\\nb"',
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, "history-search"))).mode & 0o777).toBe(0o700);
  });

  it("begins anew at a megabyte, and keeps the one before", async () => {
    const log = createFileLog(file, new FakeClock(0));
    log.info("first");
    await linesOnceThere(1);
    await writeFile(file, "x".repeat(1_000_001));
    log.info("second");
    await until("the new file", async () => ((await readFile(file, "utf8")).includes("second") ? true : null));
    expect((await stat(`${file}.1`)).size).toBe(1_000_001);
  });

  it("keeps still where nothing can be written", async () => {
    await writeFile(join(root, "history-search"), "a file where the folder should be");
    const log = createFileLog(file, new FakeClock(0));
    log.info("lost");
    await rm(join(root, "history-search"));
    await until("a line that could be written", async () => {
      log.info("kept");
      return readFile(file, "utf8").then(
        (text) => text.includes("kept"),
        () => null,
      );
    });
    expect(await readFile(file, "utf8")).toContain("kept");
  });
});
