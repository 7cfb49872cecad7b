import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { archivePlace, isNameOf, isSessionFileName, sessionFileName } from "../../src/archive/file-layout.ts";
import { createScope } from "../../src/archive/scope.ts";
import { fullPass, Harness } from "./harness.ts";

const free = () => false;
const taken = () => true;

describe("the place of an archive (case 90)", () => {
  test.each([
    ["/repo/packages/a", "/repo", null, "/repo/.opencode/sessions"],
    ["/notes", null, null, "/notes/.opencode/sessions"],
    ["/repo", "/repo", "docs/sessions", "/repo/docs/sessions"],
    ["/repo", "/repo", "/srv/sessions", "/srv/sessions"],
    ["/repo", "/repo", "~/sessions", "/home/me/sessions"],
    ["/home/me", null, "notes", "/home/me/notes"],
    ["/home/me", null, null, null],
    ["/home/me/x", "/home/me", null, null],
    ["/", null, null, null],
    ["/repo", "/repo", "/", null],
    ["/repo", "/repo", "~", null],
  ])("%s in worktree %s, configured %s: %s", (directory, worktree, configured, folder) => {
    expect(archivePlace(directory, worktree, configured, "/home/me")?.folder ?? null).toBe(folder);
  });
});

describe("a file name", () => {
  test("is the id for the ids that hosts make", () => {
    expect(sessionFileName("ses_0abcXYZ", free)).toBe("ses_0abcXYZ.json");
  });

  test.each([
    "../../escaped",
    "/etc/passwd",
    String.raw`..\x`,
    "a\0b",
    "a/b",
    "",
    ".",
    "..",
    ".hidden",
    "index",
    "INDEX",
    "CON",
    "con",
    "lpt1",
    "x".repeat(300),
    "trailing.",
    "space here",
    "emoji🤖",
  ])("never leads anywhere else: %j (cases 52, 56)", (id) => {
    const name = sessionFileName(id, free);
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,100}\.json$/u);
    expect(name).toMatch(/-[0-9a-f]{12}\.json$/u);
    expect(isSessionFileName(name)).toBe(true);
  });

  test("is another one for each id, whatever it looks like", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 200 }), { maxLength: 20 }), (ids) => {
        const owners = new Map<string, string>();
        for (const id of ids) {
          const name = sessionFileName(id, (lower) => owners.has(lower)).toLowerCase();
          expect(name).toMatch(/^[a-z0-9_-]+\.json$/u);
          expect(owners.has(name)).toBe(false);
          owners.set(name, id);
        }
      }),
    );
  });
});

describe("a name is a session's", () => {
  test.each(["ses_1", "con", "../x", "a".repeat(500)])("whichever of its names it is: %j", (id) => {
    expect([isNameOf(sessionFileName(id, free), id), isNameOf(sessionFileName(id, taken), id)]).toEqual([true, true]);
  });

  test.each([
    ["ses_1.json", "ses_2"],
    ["ses_1 copy.json", "ses_1"],
    ["SES_1.json", "ses_1"],
    ["con.json", "con"],
    [sessionFileName("../x", free), "../y"],
  ])("and no other one's: %s is not %s", (name, id) => {
    expect(isNameOf(name, id)).toBe(false);
  });
});

describe("in the folder", () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await Harness.make();
  });
  afterEach(() => harness.dispose());

  test("ids that escape, are reserved or differ in case each have a file of their own", async () => {
    const ids = ["../../escaped", "index", "CON", "ses_ab", "ses_aB", "ses_AB", "x".repeat(300)];
    const archive = harness.open();
    for (const id of ids) await fullPass(archive, harness.session({ id }), []);
    await archive.flush();
    const files = (await harness.names()).filter((name) => isSessionFileName(name));
    expect(new Set(files.map((name) => name.toLowerCase())).size).toBe(ids.length);
    const held = await Promise.all(files.map(async (name) => (await harness.json(name)).id));
    expect(new Set(held)).toEqual(new Set(ids));

    // After a restart each id finds its own file again.
    const restarted = harness.open();
    expect(await restarted.outdated(ids.map((id) => harness.session({ id })))).toEqual(new Set());
    await restarted.remove("ses_aB", 0);
    await restarted.flush();
    const marked = await Promise.all(files.map(async (name) => (await harness.json(name)).deletedAt !== null));
    expect(marked.filter(Boolean).length).toBe(1);
    expect((await harness.list()).length).toBe(ids.length);
  });

  test("nothing is written when it is a link that leads out of the worktree", async () => {
    const outside = await mkdtemp(join(tmpdir(), "history-outside-"));
    try {
      await mkdir(join(harness.root, ".opencode"));
      await symlink(outside, harness.folder);
      const archive = harness.open();
      await fullPass(archive, harness.session(), []);
      await archive.flush();
      expect(await harness.names()).toEqual([]);
    } finally {
      await rm(outside, { recursive: true });
    }
  });
});

describe("the scope of an archive", () => {
  let root: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "history-scope-")));
    await mkdir(join(root, "repo", "packages", "a"), { recursive: true });
    await mkdir(join(root, "repo", "nested", ".git"), { recursive: true });
    await symlink(join(root, "repo"), join(root, "link"));
  });
  afterEach(() => rm(root, { recursive: true }));

  test.each([
    ["repo", true],
    ["repo/", true],
    ["repo/packages/a", true],
    ["repo/deleted/since", true],
    ["repo/nested", false],
    ["repo/nested/x", false],
    ["repository", false],
    ["", false],
  ])("of a worktree and %j: %s", (directory, belongs) => {
    expect(createScope(join(root, "repo"), true)(join(root, directory))).toBe(belongs);
    // Opened through a link, the host still names the real path (case 78).
    expect(createScope(join(root, "link"), true)(join(root, directory))).toBe(belongs);
  });

  test("without git is the directory itself", () => {
    const inScope = createScope(join(root, "repo"), false);
    expect([inScope(join(root, "repo")), inScope(join(root, "repo", "packages"))]).toEqual([true, false]);
  });
});
