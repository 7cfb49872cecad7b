/**
 * Registration: the file in which a running OpenCode 2.x service says where it is to be reached, and with which
 * password. The service owns the file, and stops when somebody else writes it: it is only ever read here.
 */

import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { fieldsOf, nameOf, numberOf } from "../fields.ts";

export interface Registration {
  readonly file: string;
  readonly version: string;
  /** Base address on this machine, without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  readonly password: string | null;
}

/** A registration that cannot be used, and why, in words for the person. */
export interface UnusableRegistration {
  readonly file: string;
  readonly trouble: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `$XDG_STATE_HOME/opencode`, else `~/.local/state/opencode`: alike on Linux, macOS and Windows. */
export function stateFolder(environment: Environment): string {
  const root = environment["XDG_STATE_HOME"];
  return join(root === undefined || root === "" ? join(homedir(), ".local", "state") : root, "opencode");
}

/** Channels that share `service.json`; every other has a file of its own, and a database of its own. */
const SHARED_CHANNELS: ReadonlySet<string> = new Set(["latest", "dev", "beta", "next"]);

export function registrationName(channel: string | null): string {
  return channel === null || SHARED_CHANNELS.has(channel) ? "service.json" : `service-${channel}.json`;
}

/**
 * The registrations to try, best first: whatever the process `pid` itself registered, then the one of the channel.
 * Those of other channels are left out, since they may hold another history. Never rejects.
 */
export async function findRegistrations(
  folder: string,
  channel: string | null,
  pid: number,
): Promise<readonly (Registration | UnusableRegistration)[]> {
  const ours = registrationName(channel);
  const found = await Promise.all((await fileNames(folder)).map((name) => readRegistration(join(folder, name))));
  const present = found.filter((item) => item !== null);
  const own = present.filter((item) => "pid" in item && item.pid === pid);
  const shared = present.filter((item) => !own.includes(item) && item.file === join(folder, ours));
  return [...own, ...shared];
}

async function fileNames(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^service(?:-[^/\\]+)?\.json$/u.test(name)).sort();
  } catch {
    return [];
  }
}

async function readRegistration(file: string): Promise<Registration | UnusableRegistration | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch {
    return null;
  }
  return parseRegistration(file, text);
}

/** Reads the text of a registration file; what is wrong with it is said, not thrown. */
export function parseRegistration(file: string, text: string): Registration | UnusableRegistration {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { file, trouble: `${file} is not JSON` };
  }
  const fields = fieldsOf(value);
  const [version, pid, given] = [nameOf(fields["version"]), numberOf(fields["pid"]), nameOf(fields["url"])];
  if (version === null || pid === null || given === null) {
    return { file, trouble: `${file} lacks a version, a pid or a url` };
  }
  const url = loopbackUrl(given);
  if (url === null) return { file, trouble: `${file} names ${given}, which is not an http address of this machine` };
  return { file, version, pid, url, password: nameOf(fields["password"]) };
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "[::1]"]);
/** A service that listens everywhere is reached on this machine too. */
const ANYWHERE: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
]);

/** Only this machine is ever spoken to: the password must not leave it. */
function loopbackUrl(given: string): string | null {
  if (!URL.canParse(given)) return null;
  const url = new URL(given);
  url.hostname = ANYWHERE.get(url.hostname) ?? url.hostname;
  if (url.protocol !== "http:" || url.username !== "" || url.password !== "") return null;
  if (!LOOPBACK.has(url.hostname) && !/^127(?:\.\d{1,3}){3}$/u.test(url.hostname)) return null;
  return `${url.origin}${url.pathname}`.replace(/\/+$/u, "");
}
