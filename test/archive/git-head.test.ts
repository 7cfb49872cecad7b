import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { nodeFileSystem } from "../../src/archive/file-system.ts";
import { readGitHead } from "../../src/archive/git-head.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "history-git-"));
});
afterEach(() => rm(root, { recursive: true }));

const commit = "0123456789abcdef0123456789abcdef01234567";
const other = "89abcdef0123456789abcdef0123456789abcdef";

const cases: { name: string; files: Record<string, string>; head: unknown }[] = [
  {
    name: "a branch",
    files: { ".git/HEAD": "ref: refs/heads/feat/x\n", ".git/refs/heads/feat/x": `${commit}\n` },
    head: { branch: "feat/x", commit },
  },
  {
    name: "a packed branch",
    files: {
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/packed-refs": `# pack-refs\n${other} refs/heads/not-main\n${commit} refs/heads/main\n^${other}\n`,
    },
    head: { branch: "main", commit },
  },
  { name: "no branch", files: { ".git/HEAD": `${commit}\n` }, head: { branch: null, commit } },
  { name: "no commit yet", files: { ".git/HEAD": "ref: refs/heads/main\n" }, head: { branch: "main", commit: null } },
  {
    name: "a linked worktree",
    files: {
      ".git": "gitdir: main/.git/worktrees/w\n",
      "main/.git/worktrees/w/HEAD": "ref: refs/heads/topic\n",
      "main/.git/worktrees/w/commondir": "../..\n",
      "main/.git/packed-refs": `${commit} refs/heads/topic\n`,
    },
    head: { branch: "topic", commit },
  },
  { name: "no repository", files: {}, head: null },
  { name: "a .git file that names nothing", files: { ".git": "hello\n" }, head: null },
  { name: "a HEAD that is no head", files: { ".git/HEAD": "hello\n" }, head: { branch: null, commit: null } },
];

test.each(cases)("reads $name", async ({ files, head }) => {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  expect(await readGitHead(nodeFileSystem, root)).toEqual(head);
});
