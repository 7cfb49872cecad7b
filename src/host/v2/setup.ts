/** Setup: the plugin function that OpenCode 2.x calls once for each location it activates. */

import { messageOf } from "../../runtime/error-message.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { HostInstance, HostLocation, StartInstance } from "../host.ts";
import { startSafely } from "../start-instance.ts";
import { createClaims } from "./claims.ts";
import { registerCommands } from "./commands.ts";
import { type Context, readContext } from "./context.ts";
import { createEventStream } from "./event-stream.ts";
import { translateEvent } from "./events.ts";
import { createV2Host } from "./host.ts";
import { createService } from "./service.ts";
import { type SharedProcess, shareProcess } from "./shared-process.ts";
import { processSurroundings, type Surroundings } from "./surroundings.ts";
import { registerTools } from "./tools.ts";
import { createTurns } from "./turns.ts";

/** Ends an instance; never rejects, and a second call does nothing. */
export type Cleanup = () => Promise<void>;
export type V2Setup = (context: unknown) => Cleanup | undefined;

const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Makes the `setup` function of the plugin. It returns at once and never throws: undefined, having done nothing, where
 * the context lacks what this product needs. That is so on OpenCode 1.18, which calls `setup` beside `server`.
 * @param surroundings made when the first usable context arrives, so that 1.18 pays nothing
 */
export function setupV2(
  start: StartInstance,
  clock: Clock,
  surroundings: () => Surroundings = () => processSurroundings(clock),
): V2Setup {
  return (given) => {
    try {
      const context = readContext(given);
      return context === null ? undefined : takePart(context, start, clock, surroundings());
    } catch {
      // Not even the log can be told: whatever could be wrong with it, it must not reach the host.
      return undefined;
    }
  };
}

/** Joins the process, and works for the location as soon as nobody else does. */
function takePart(context: Context, start: StartInstance, clock: Clock, surroundings: Surroundings): Cleanup {
  const { log } = surroundings;
  const { shared, leave } = shareProcess(surroundings.registry, () => createShared(context, clock, surroundings));
  let stop: Cleanup | null = null;
  const activate = (): void => {
    try {
      stop = work(context, start, clock, surroundings, shared);
    } catch (error) {
      log.error("The history could not be started", { error: messageOf(error) });
    }
  };
  const place = context.location?.directory ?? null;
  // Without a location nobody can tell a second copy from a second location.
  const claim = place === null ? null : shared.claims.claim(place, activate);
  if (claim === null) activate();
  else if (!claim.active) {
    log.warn("This plugin is loaded twice for one location; this copy stays idle", {
      directory: place,
    });
  }
  let ended: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    await stop?.();
    claim?.release();
    leave();
  };
  return () => (ended ??= end());
}

/** Starts an instance and connects it: events first, so that none is missed while the service is looked for. */
function work(
  context: Context,
  start: StartInstance,
  clock: Clock,
  { log, workingDirectory }: Surroundings,
  { stream, turns, service }: SharedProcess,
): Cleanup {
  const location: HostLocation = context.location ?? {
    directory: workingDirectory,
    worktree: null,
    projectId: null,
  };
  const host = createV2Host(context, location, service, log);
  const instance = startSafely(() => start(host, context.options ?? {}), log);
  const tell = (event: Parameters<HostInstance["onEvent"]>[0]): void => {
    try {
      instance.onEvent(event);
    } catch (error) {
      log.error("An event could not be taken", { event: event.type, error: messageOf(error) });
    }
  };
  const leaveStream = stream.join({
    directory: context.location?.directory ?? null,
    log,
    subscribe: (signal) => context.subscribe({ signal }),
    deliver(event) {
      for (const meaning of translateEvent(event, clock.now())) tell(meaning);
    },
    lost: () => tell({ type: "stream-lost" }),
  });
  const removeTools = registerTools(context, instance.tools, { location, turns, log });
  const removeCommands = registerCommands(context.transformCommands, instance.commands, log);
  return async () => {
    leaveStream();
    await removeTools();
    await removeCommands();
    try {
      await instance.dispose();
    } catch (error) {
      log.error("The history could not end cleanly", { error: messageOf(error) });
    }
  };
}

function createShared(context: Context, clock: Clock, surroundings: Surroundings): SharedProcess {
  const { fetch, stateFolder, pid, log, isAlive } = surroundings;
  const turns = createTurns();
  const stream = createEventStream(clock, (event) => turns.note(event));
  const service = createService({
    clock,
    log,
    http: { fetch, timeoutMs: REQUEST_TIMEOUT_MS },
    folder: stateFolder,
    channel: context.channel,
    pid,
    isAlive,
    onFoundAgain: () => stream.announceLoss(),
  });
  return { stream, turns, claims: createClaims(), service };
}
