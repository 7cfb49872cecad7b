/**
 * Config folder: `.opencode/` of a worktree in which nothing but the archive lives.
 *
 * OpenCode 1.18 installs `@opencode-ai/plugin` from the registry into every such folder it meets and loads no plugin
 * before that has ended, so an archive would make the next start wait for the network: measured on 1.18.33, 26 s with a
 * registry and 75 s with a dead one, against 2 s. It leaves a folder alone that has `node_modules` and a lock file with
 * that dependency. Its own configuration folder has the package already; this one borrows it by a link, so that tools a
 * person adds here find it too. npm replaces such a link by a real folder as soon as it has something to install.
 */

import { access, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { hasCode } from "./file-system.ts";

/** What OpenCode 1.18 writes into such a folder itself. */
const GIT_IGNORE = ["node_modules", "package.json", "package-lock.json", "bun.lock", ".gitignore"].join("\n");
const PACKAGE = "@opencode-ai/plugin";

/** OpenCode's own configuration folder (xdg-basedir, on every system). */
export function hostConfigFolder(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const base = env["XDG_CONFIG_HOME"];
  return join(base === undefined || base === "" ? join(home, ".config") : base, "opencode");
}

/** What stands in a config folder that exists for the archive's sake. */
const OWN = new Set(["sessions", ".gitignore"]);

/**
 * Makes the config folder around an archive folder and lends it the host's package; leaves one alone in which anything
 * else lives. Never rejects: without the link everything works, but for the wait.
 * @param folder of the archive; only `<root>/.opencode/sessions` stands in a config folder
 * @param host OpenCode's own configuration folder
 */
export async function prepareConfigFolder(root: string, folder: string, host: string): Promise<void> {
  const config = join(root, ".opencode");
  if (dirname(folder) !== config) return;
  const installed = join(host, "node_modules");
  const lock = { lockfileVersion: 3, requires: true, packages: { "": { dependencies: { [PACKAGE]: "*" } } } };
  try {
    await access(join(installed, ...PACKAGE.split("/"), "package.json"));
    await mkdir(config, { recursive: true });
    if ((await readdir(config)).some((name) => !OWN.has(name))) return;
    // First of all: a link that git sees in the middle of a turn would be the agent's edit.
    await writeNew(join(config, ".gitignore"), GIT_IGNORE);
    await symlink(installed, join(config, "node_modules"), "junction");
    await writeNew(join(config, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
  } catch {
    // The host has no package yet and waits for it anyway, or the file system has no links.
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    // What was cut off would pass for a person's own.
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
}
