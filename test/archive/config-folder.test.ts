import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { hostConfigFolder, prepareConfigFolder } from "../../src/archive/config-folder.ts";

let root: string;
let host: string;
let folder: string;
beforeEach(async () => {
  const base = await mkdtemp(join(tmpdir(), "history-config-"));
  root = join(base, "app");
  host = join(base, "config", "opencode");
  folder = join(root, ".opencode", "sessions");
  await mkdir(root);
  await mkdir(join(host, "node_modules", "@opencode-ai", "plugin"), { recursive: true });
  await writeFile(join(host, "node_modules", "@opencode-ai", "plugin", "package.json"), '{"version": "1.18.33"}');
});
afterEach(() => rm(join(root, ".."), { recursive: true }));

const names = async () => (await readdir(join(root, ".opencode"))).sort();

describe("a config folder", () => {
  test.each([
    ["that the archive makes", async () => undefined],
    ["that holds only an archive", () => mkdir(folder, { recursive: true })],
  ])("%s looks installed, by the package that the host has", async (_name, prepare) => {
    await prepare();
    await prepareConfigFolder(root, folder, host);
    await prepareConfigFolder(root, folder, host);
    const config = join(root, ".opencode");
    expect(JSON.parse(await readFile(join(config, "node_modules/@opencode-ai/plugin/package.json"), "utf8"))).toEqual({
      version: "1.18.33",
    });
    const lock = JSON.parse(await readFile(join(config, "package-lock.json"), "utf8"));
    expect(Object.keys(lock.packages[""].dependencies)).toEqual(["@opencode-ai/plugin"]);
    const ignored = (await readFile(join(config, ".gitignore"), "utf8")).split("\n");
    expect(ignored).toEqual(expect.arrayContaining(["node_modules", "package-lock.json", ".gitignore"]));
    expect((await lstat(join(config, "node_modules"))).isSymbolicLink()).toBe(true);
  });

  test.each(["opencode.json", "plugins", "package.json", "node_modules"])(
    "in which %s lives is left alone",
    async (name) => {
      await mkdir(join(root, ".opencode", name), { recursive: true });
      await prepareConfigFolder(root, folder, host);
      expect(await names()).toEqual([name]);
    },
  );

  test("is not made when the host has no package to lend, or the archive lies elsewhere", async () => {
    await prepareConfigFolder(root, folder, join(host, "nowhere"));
    await prepareConfigFolder(root, join(root, "docs", "sessions"), host);
    expect(await readdir(root)).toEqual([]);
  });
});

test.each([
  [{ XDG_CONFIG_HOME: "/x" }, "/x/opencode"],
  [{ XDG_CONFIG_HOME: "" }, "/home/me/.config/opencode"],
  [{}, "/home/me/.config/opencode"],
])("the host's own configuration under %j is %s", (env, path) => {
  expect(hostConfigFolder(env, "/home/me")).toBe(path);
});
