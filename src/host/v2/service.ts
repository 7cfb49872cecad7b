/**
 * Service: the registered OpenCode 2.x server, through which the history is read. The context that plugins get names no
 * address, so the server is looked for, without an end, and looked for again when it does not answer any more.
 */

import { messageOf } from "../../runtime/error-message.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { fieldsOf, nameOf, numberOf } from "../fields.ts";
import { HostError } from "../host.ts";
import { getJson, type HttpOptions, type Parameters } from "./http.ts";
import { findRegistrations, type Registration, registrationName } from "./registration.ts";
import { isSupportedVersion, SUPPORTED_VERSIONS } from "./version.ts";

export interface ServiceOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly http: HttpOptions;
  /** Where services register. */
  readonly folder: string;
  /** The channel of the OpenCode that runs this plugin; null where it does not say. */
  readonly channel: string | null;
  /** The process this plugin runs in: the server itself, mostly. */
  readonly pid: number;
  /** Whether a process exists: a registration may outlive its server. */
  readonly isAlive: (pid: number) => boolean;
  /** The service was lost and is found again. */
  onFoundAgain(): void;
}

export interface Service {
  /** Starts looking; returns at once. */
  start(): void;
  stop(): void;
  /** Why nothing can be read, as a sentence; null when it can. */
  trouble(): string | null;
  /**
   * GETs from the API.
   * @returns null when the session or message does not exist
   * @throws HostError "unavailable" at once while no service is found
   */
  get(path: string, parameters: Parameters, signal: AbortSignal): Promise<unknown>;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;
/** A server loads its plugins before it registers, so the first looks in vain are nothing to speak of. */
const SILENT_LOOKS = 4;
const PROBE_TIMEOUT_MS = 5000;

export function createService(options: ServiceOptions): Service {
  const { clock, log, http } = options;
  const stopped = new AbortController();
  let current: Registration | null = null;
  let trouble = "OpenCode's service is still being looked for.";
  let started = false;
  let last: Registration | null = null;

  /** Looks until a service is found. Never rejects. */
  async function look(): Promise<void> {
    for (let looks = 1; !stopped.signal.aborted; looks += 1) {
      const result = await discover(options, stopped.signal);
      if (stopped.signal.aborted) return;
      if (typeof result !== "string") return found(result, looks);
      trouble = result;
      if (looks === SILENT_LOOKS) log.warn("New history is not being read; looking on", { reason: trouble });
      const delay = Math.min(FIRST_DELAY_MS * 2 ** (looks - 1), LONGEST_DELAY_MS);
      await clock.sleep(delay, stopped.signal).catch(() => undefined);
    }
  }

  function found(registration: Registration, looks: number): void {
    const before = last;
    current = last = registration;
    // One that was only slow for a moment is found at the first look, and was never away.
    if (looks === 1 && before?.pid === registration.pid) return;
    log.info("Reading the history from OpenCode's service", { version: registration.version, pid: registration.pid });
    if (before !== null) options.onFoundAgain();
  }

  function lose(registration: Registration, error: HostError): void {
    // Several requests may fail at once; the first one starts the search.
    if (current !== registration) return;
    current = null;
    trouble = `OpenCode's service does not answer any more: ${error.message}`;
    void look();
  }

  return {
    start() {
      if (started) return;
      started = true;
      void look();
    },
    stop() {
      stopped.abort(new Error("The search for OpenCode's service was stopped."));
      current = null;
      trouble = "This plugin has been unloaded.";
    },
    trouble: () => (current === null ? trouble : null),
    async get(path, parameters, signal) {
      const service = current;
      if (service === null) throw new HostError("unavailable", trouble);
      try {
        return await getJson(http, service, path, parameters, signal);
      } catch (error) {
        if (error instanceof HostError && error.code === "unavailable") lose(service, error);
        throw error;
      }
    },
  };
}

/** One look. @returns a service that answers as it registered, or why there is none */
async function discover(options: ServiceOptions, signal: AbortSignal): Promise<Registration | string> {
  const { folder, channel, pid } = options;
  let trouble =
    `No OpenCode service is registered (no ${registrationName(channel)} in ${folder}). ` +
    "`opencode serve --service` starts one.";
  for (const candidate of await findRegistrations(folder, channel, pid)) {
    if ("trouble" in candidate) {
      trouble = `${candidate.trouble}.`;
      continue;
    }
    const refusal = await refusalOf(candidate, options, signal);
    if (refusal === null) return candidate;
    trouble = refusal;
  }
  return trouble;
}

/** Why a registered service cannot be used; null when it can. */
async function refusalOf(
  { file, version, pid, url, password }: Registration,
  { http, isAlive }: ServiceOptions,
  signal: AbortSignal,
): Promise<string | null> {
  if (!isSupportedVersion(version)) {
    return `OpenCode's service is version ${version}; this plugin reads ${SUPPORTED_VERSIONS}.`;
  }
  // Asked before the password is sent: another program may listen on a dead server's port.
  if (!isAlive(pid)) return `${file} is left over from a service that has ended (process ${String(pid)}).`;
  try {
    const probe = { ...http, timeoutMs: Math.min(http.timeoutMs, PROBE_TIMEOUT_MS) };
    const info = fieldsOf(await getJson(probe, { file, version, pid, url, password }, "/api/info", {}, signal));
    const answered = { pid: numberOf(info["pid"]), version: nameOf(info["version"]) };
    if (answered.pid === pid && answered.version === version) return null;
    return `${url} answers as version ${answered.version ?? "?"}, process ${String(answered.pid ?? "?")}, not as ${file} says.`;
  } catch (error) {
    return `OpenCode's service does not answer: ${messageOf(error)}`;
  }
}
