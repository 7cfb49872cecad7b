/** Real host: a process of OpenCode 1.18 in a sandbox, and what it answers over HTTP and writes to its terminal. */

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

export interface Launch {
  readonly binary: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface RealHost {
  readonly url: string;
  readonly directory: string;
  /** The process id, to be signalled by tests of crashes. */
  readonly pid: number;
  /** All that the process wrote so far. */
  stdout(): string;
  stderr(): string;
  alive(): boolean;
  /** One request, in the host's own folder unless another is named. Rejects only when nothing answers. */
  request(method: string, path: string, body?: unknown, directory?: string): Promise<ApiAnswer>;
  /** Like `request`, but rejects on any status of 400 and above. */
  api(method: string, path: string, body?: unknown, directory?: string): Promise<unknown>;
  /** Ends the process with SIGTERM, or another signal, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface RunResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const START_TIMEOUT_MS = 120_000;
const RUN_TIMEOUT_MS = 240_000;

interface Running {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
}

/**
 * Starts `opencode serve` on a free port.
 * @throws with the process's output when it does not listen within two minutes
 */
export async function startRealHost(launch: Launch): Promise<RealHost> {
  const { child, output, ended } = start(launch, ["serve", "--hostname", "127.0.0.1", "--port", "0"]);
  const alive = () => child.exitCode === null && child.signalCode === null;
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (alive()) child.kill(signal);
    await ended;
  };
  let url: string;
  try {
    url = await listening(child, output);
  } catch (error) {
    await stop("SIGKILL");
    throw error;
  }

  const request = async (method: string, path: string, body?: unknown, directory = launch.directory) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        "x-opencode-directory": encodeURIComponent(directory),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: parse(await response.text()) };
  };
  return {
    url,
    directory: launch.directory,
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    alive,
    request,
    api: async (method, path, body, directory) => {
      const answer = await request(method, path, body, directory);
      if (answer.status < 400) return answer.body;
      throw new Error(`${method} ${path} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
    },
    stop,
  };
}

/** Runs one command of the program to its end; killed after four minutes. */
export async function runOnce(launch: Launch, args: readonly string[]): Promise<RunResult> {
  const { child, output, ended } = start(launch, args);
  const timer = setTimeout(() => child.kill("SIGKILL"), RUN_TIMEOUT_MS);
  try {
    return { exitCode: await ended, ...output };
  } finally {
    clearTimeout(timer);
  }
}

function start(launch: Launch, args: readonly string[]): Running {
  const child = spawn(launch.binary, args, {
    cwd: launch.directory,
    env: launch.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      output.stderr += error.message;
      resolve(null);
    });
    child.once("close", resolve);
  });
  return { child, output, ended };
}

async function listening(child: ChildProcess, output: Running["output"]): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      const fail = (what: string) => {
        reject(new Error(`OpenCode ${what}.\n${output.stdout}${output.stderr}`));
      };
      timer = setTimeout(() => {
        fail(`did not listen within ${START_TIMEOUT_MS / 1000} s`);
      }, START_TIMEOUT_MS);
      child.stdout?.on("data", () => {
        const url = /listening on (?<url>http:\/\/\S+)/u.exec(output.stdout)?.groups?.["url"];
        if (url !== undefined) resolve(url);
      });
      child.once("close", (code) => {
        fail(`ended with code ${String(code)} before it listened`);
      });
    });
  } finally {
    clearTimeout(timer);
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
