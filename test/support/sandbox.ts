/**
 * Sandbox: a folder in which OpenCode 1.18 runs as if on a machine of its own: home, configuration, data, projects and
 * a scripted model, and no way out to the network.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";

import { findOpencode } from "./opencode-binary.ts";
import type { RealHost, RunResult } from "./real-host.ts";
import { runOnce, startRealHost } from "./real-host.ts";
import { startScriptedProvider } from "./scripted-provider.ts";
import type { ScriptedProvider } from "./scripted-provider.ts";

/** A plugin as `opencode.json` names it: a specifier or an absolute path, alone or with options. */
export type PluginEntry = string | readonly [string, Readonly<Record<string, unknown>>];

export interface SandboxOptions {
  readonly plugins?: readonly PluginEntry[];
  /** Merged into the global `opencode.json`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Added to the environment of every process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Sandbox {
  readonly root: string;
  /** `$XDG_DATA_HOME/opencode`: the host's database, its log, and the plugin's index. */
  readonly dataFolder: string;
  readonly provider: ScriptedProvider;
  /** A folder of that name to work in; by default a git repository with one commit of its own. */
  project(name: string, options?: { readonly git?: boolean }): string;
  /** Rewrites the global configuration; processes started from now on read it. */
  configure(options: SandboxOptions): void;
  /** `opencode serve` in a folder. May be called again while others run: they share the data folder. */
  serve(directory: string): Promise<RealHost>;
  /** `opencode run <message>` in a folder, to its end. */
  run(directory: string, message: string, args?: readonly string[]): Promise<RunResult>;
  /** Any other command of the program, to its end. */
  command(directory: string, args: readonly string[]): Promise<RunResult>;
  /** Ends every process started here and the scripted model; the folder stays. */
  stop(): Promise<void>;
  /** `stop`, and removes the folder. */
  dispose(): Promise<void>;
}

/** A catalogue without models beside the scripted one: the host's own takes two seconds of each start to read. */
const NO_MODELS = "models.json";

const FOLDERS = ["home", "tmp", "data", "config", "state", "cache"] as const;

/** @throws when the program is missing or loopback offers no port */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const binary = findOpencode();
  const root = makeRoot();
  const provider = await startScriptedProvider();
  const hosts: RealHost[] = [];
  let extraEnv = options.env ?? {};
  for (const name of FOLDERS) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, NO_MODELS), "{}");

  const configure = (next: SandboxOptions) => {
    const folder = join(root, "config", "opencode");
    seedInstalled(folder, binary.version);
    writeFileSync(join(folder, "opencode.json"), JSON.stringify(hostConfig(provider.url, next), null, 2));
    extraEnv = next.env ?? extraEnv;
  };
  const launch = (directory: string) => {
    // A process killed while it installs leaves a lock that the next start waits a minute for.
    if (hosts.every((host) => !host.alive())) {
      rmSync(join(root, "state", "opencode", "locks"), { recursive: true, force: true });
    }
    return { binary: binary.path, directory, env: { ...hostEnv(root), ...extraEnv } };
  };
  const stop = async () => {
    await Promise.all(hosts.map((host) => host.stop()));
    await provider.close();
  };
  configure(options);

  return {
    root,
    dataFolder: join(root, "data", "opencode"),
    provider,
    configure,
    project: (name, { git = true } = {}) => makeProject(join(root, name), git, binary.version),
    serve: async (directory) => {
      const host = await startRealHost(launch(directory));
      hosts.push(host);
      return host;
    },
    run: async (directory, message, args = []) => runOnce(launch(directory), ["run", ...args, message]),
    command: async (directory, args) => runOnce(launch(directory), args),
    stop,
    dispose: async () => {
      await stop();
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function makeRoot(): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), "opencode-history-")));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`No folder can be made in ${tmpdir()} (${reason}). Set TMPDIR to a folder you may write to.`, {
      cause: error,
    });
  }
}

function hostEnv(root: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    ...(process.env["TZ"] === undefined ? {} : { TZ: process.env["TZ"] }),
    LANG: "C.UTF-8",
    TERM: "dumb",
    HOME: join(root, "home"),
    TMPDIR: join(root, "tmp"),
    XDG_DATA_HOME: join(root, "data"),
    XDG_CONFIG_HOME: join(root, "config"),
    XDG_STATE_HOME: join(root, "state"),
    XDG_CACHE_HOME: join(root, "cache"),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_MODELS_PATH: join(root, NO_MODELS),
    // An address that refuses at once: whatever would be installed over the network fails without a wait.
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_fetch_retries: "0",
  };
}

function hostConfig(providerUrl: string, options: SandboxOptions): Record<string, unknown> {
  const model = { name: "Scripted", tool_call: true, reasoning: true, limit: { context: 200_000, output: 8000 } };
  return {
    $schema: "https://opencode.ai/config.json",
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: providerUrl, apiKey: "none" },
        models: { scripted: model },
      },
    },
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    share: "disabled",
    plugin: (options.plugins ?? []).map((entry) =>
      typeof entry === "string" ? specifier(entry) : [specifier(entry[0]), entry[1]],
    ),
    ...options.config,
  };
}

function specifier(entry: string): string {
  return isAbsolute(entry) ? pathToFileURL(entry).href : entry;
}

/**
 * OpenCode installs `@opencode-ai/plugin` of its own version into each configuration folder and loads plugins only
 * after that. A folder that looks installed is left alone, and no registry is asked.
 */
function seedInstalled(folder: string, version: string): void {
  const dependencies = { "@opencode-ai/plugin": version };
  const installed = join(folder, "node_modules", "@opencode-ai", "plugin");
  mkdirSync(installed, { recursive: true });
  const lock = {
    name: "opencode",
    lockfileVersion: 3,
    requires: true,
    packages: { "": { dependencies }, "node_modules/@opencode-ai/plugin": { version } },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies }));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "@opencode-ai/plugin", version }));
}

function makeProject(folder: string, isRepository: boolean, version: string): string {
  mkdirSync(folder, { recursive: true });
  seedInstalled(join(folder, ".opencode"), version);
  if (isRepository && !existsSync(join(folder, ".git"))) {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
    runGit(["init", "-q", folder]);
    // The root commit is the project's identity: its message keeps two projects of one second apart.
    runGit(["-C", folder, ...author, "commit", "-q", "--allow-empty", "-m", `Begin ${folder}`]);
  }
  return folder;
}

function runGit(args: readonly string[]): void {
  try {
    execFileSync("git", args, {
      // Not the settings of whoever runs this: a signing key or a template folder would get in the way.
      env: { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`git is needed to make a project: ${reason}`, { cause: error });
  }
}
