import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { systemFiles } from "../../src/search/file-system.ts";
import { assistantMessage, patchPart, toolPart } from "../support/builders.ts";
import { type Given, ToldHistory } from "./told-history.ts";

const edited = (path: string) => [assistantMessage("msg_1", ["done", toolPart("edit", { filePath: path })])];

function askedIn(directory: string, projectId: string | null = "global"): Given {
  return { asker: { sessionId: null, projectId, directory, turnStartedAt: null } };
}

test.each([
  ["E:\\work\\x", "E:/work/x"],
  ["E:/work/x", "E:\\work\\x"],
  ["d:\\x", "D:\\x"],
  ["D:/x/", "d:/x"],
  ["\\\\?\\E:\\work\\x", "e:\\work\\x\\"],
  ["//server/share/x", "\\\\server\\share\\x"],
])("case 77: the directory %s is asked for as %s", async (directory, asked) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_git", directory, projectId: "project-2" }, ["in git"]);
  await history.tell({ id: "ses_below", directory: `${directory}/sub`, projectId: "global" }, ["without git"]);
  await history.tell({ id: "ses_beside", directory: `${directory.replace(/\/$/u, "")}y`, projectId: "global" }, [
    "not here",
  ]);
  expect((await history.find(`project:"${asked}"`)).toSorted()).toEqual(["ses_below", "ses_git"]);
  expect(await history.find("-here", askedIn(asked))).toContain("ses_below");
  expect(await history.find("", askedIn(asked))).not.toContain("ses_beside");
});

test.each([
  ["E:\\work\\x\\a.ts", "E:/work/x/a.ts"],
  ["e:/work/x/a.ts", "E:\\work\\x\\a.ts"],
  ["D:\\x\\a.ts", "d:/x/./a.ts"],
  ["src\\deep\\a.ts", "deep/a.ts"],
  ["src/deep/a.ts", "deep\\a.ts"],
])("case 77: the edited file %s is asked for as %s", async (stored, asked) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_0", directory: "E:\\work" }, edited(stored));
  expect(await history.find(`path:"${asked}"`)).toEqual(["ses_0"]);
});

/** A repository, and a link to the folder it lies in. */
async function linkedRepository(): Promise<{ real: string; link: string }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "history-links-")));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, "disk", "repo", "src"), { recursive: true });
  await writeFile(join(root, "disk", "repo", "src", "a.ts"), "");
  await symlink(join(root, "disk"), join(root, "link"));
  return { real: join(root, "disk", "repo"), link: join(root, "link", "repo") };
}

test.each([
  ["the real path", "real", "link"],
  ["the link", "link", "real"],
  ["the link, and asked for so", "link", "link"],
] as const)("case 78: a project that is stored under %s is found under either name", async (_what, stored, asked) => {
  const paths = await linkedRepository();
  const history = await ToldHistory.begin(systemFiles);
  const [directory, place] = [paths[stored], paths[asked]];
  await history.tell({ id: "ses_0", directory, projectId: "global" }, edited(join(directory, "src", "a.ts")));
  await history.tell({ id: "ses_1", directory, projectId: "project-7" }, edited(join(directory, "src", "gone.ts")));
  expect((await history.find(`project:${place}`)).toSorted()).toEqual(["ses_0", "ses_1"]);
  expect(await history.find("", askedIn(place, null))).toContain("ses_0");
  expect(await history.find(`path:${join(place, "src", "a.ts")} project:all`)).toEqual(["ses_0"]);
  expect(await history.find(`path:${join(place, "src", "gone.ts")} project:all`)).toEqual(["ses_1"]);
  expect(await history.find(`path:${join(place, "a.ts")} project:all`)).toEqual([]);
});

const OLD = "/w/old-name";
const NEW = "/w/new-name";

test.each([
  ["from where the repository is now", "", askedIn(NEW, "project-1"), ["ses_moved", "ses_tree"]],
  ["by its id", "project:project-1", askedIn("/tmp"), ["ses_moved", "ses_tree"]],
  ["by its old path", `project:${OLD}`, askedIn("/tmp"), ["ses_moved", "ses_tree"]],
  ["by the path of another worktree", "project:/w/gh-pages", askedIn("/tmp"), ["ses_moved", "ses_tree"]],
  ["by the folder around it", "project:/w", askedIn("/tmp"), ["ses_moved", "ses_plain", "ses_tree"]],
])("case 79: sessions of a repository that was moved are found %s", async (_what, query, asker, found) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_moved", directory: OLD }, ["before the move"]);
  await history.tell({ id: "ses_tree", directory: "/w/gh-pages" }, ["in another worktree"]);
  await history.tell({ id: "ses_plain", directory: "/w/plain", projectId: "global" }, ["without git"]);
  expect((await history.find(query, asker)).toSorted()).toEqual(found);
});

test.each([
  ["git init", "global", "project-9"],
  ["rm -r .git", "project-9", "global"],
  ["a history that begins anew", "project-8", "project-9"],
])("case 79: after %s older sessions of the directory are found", async (_what, before, now) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_before", directory: NEW, projectId: before }, ["older"]);
  await history.tell({ id: "ses_now", directory: NEW, projectId: now }, ["newer"]);
  await history.tell({ id: "ses_other", directory: "/w/other", projectId: "global" }, ["elsewhere"]);
  expect((await history.find(`project:${NEW}`, askedIn("/tmp"))).toSorted()).toEqual(["ses_before", "ses_now"]);
  expect(await history.find("project:all older")).toEqual(["ses_before"]);
  expect(await history.find("", askedIn(NEW, now))).toContain("ses_now");
});

test.each([
  ["git init", "global", "project-9"],
  ["rm -r .git", "project-9", "global"],
])("case 79: after %s they belong to the current project without being asked for", async (_what, before, now) => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_before", directory: `${NEW}/sub`, projectId: before }, ["older"]);
  expect(await history.find("older", askedIn(NEW, now))).toEqual(["ses_before"]);
});

test("case 79: a session whose directory changed is found at the new one, with its edits", async () => {
  const history = await ToldHistory.begin();
  await history.tell({ id: "ses_0", directory: OLD, projectId: "global" }, [
    assistantMessage("msg_1", [toolPart("write", { filePath: "src/a.ts" }), patchPart([`${OLD}/src/b.ts`])]),
  ]);
  await history.tell({ id: "ses_0", directory: NEW, projectId: "global" }, [
    assistantMessage("msg_1", [toolPart("write", { filePath: "src/a.ts" }), patchPart([`${OLD}/src/b.ts`])]),
  ]);
  expect(await history.find(`project:${NEW}`)).toEqual(["ses_0"]);
  expect(await history.find(`project:${OLD}`)).toEqual([]);
  expect(await history.find("path:src/a.ts project:all")).toEqual(["ses_0"]);
  expect(await history.find(`path:${NEW}/src/a.ts project:all`)).toEqual(["ses_0"]);
});
