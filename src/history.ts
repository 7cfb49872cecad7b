/**
 * History: what all directories of one process share. One index, one sync, one archive for each worktree; each
 * directory that a host opens is an instance that joins them, and the last one to leave closes them.
 */

import { parseConfig, type Config } from "./config.ts";
import type { Host, HostEvent, HostInstance } from "./host/host.ts";
import { historyCommand } from "./history-command.ts";
import { openIndex, type OpenedIndex } from "./open-index.ts";
import type { Clock } from "./runtime/clock.ts";
import { createHistoryTools } from "./history-tools.ts";
import { createSync, type Attachment, type Sync } from "./sync/sync.ts";
import { version } from "../package.json";

export interface History {
  /** Starts an instance for the host's directory; a second one for the same directory stays idle. */
  start(host: Host, options: unknown): HostInstance;
}

/** What is open while at least one instance is. */
interface Shared {
  readonly opened: Promise<OpenedIndex>;
  readonly sync: Sync;
  instances: number;
}

const IDLE: HostInstance = { tools: [], commands: [], onEvent() {}, dispose: async () => {} };

/** Events that arrive while the index is being opened; past this many, a listing finds what they said. */
const WAITING_EVENTS = 10_000;

export function createHistory(clock: Clock): History {
  const directories = new Set<string>();
  let shared: Shared | null = null;

  function join(host: Host, config: Config): Shared {
    if (shared === null) {
      const joined: Shared = { instances: 0, ...openShared(host, config) };
      shared = joined;
    }
    shared.instances += 1;
    return shared;
  }

  function openShared(host: Host, config: Config): Pick<Shared, "opened" | "sync"> {
    let index: OpenedIndex["index"] = null;
    const sync = createSync({
      clock,
      onProgress: ({ sessionsKnown }) => {
        if (sessionsKnown !== null) index?.setKnownSessions(sessionsKnown);
      },
    });
    const opened = openIndex({
      directory: config.indexDirectory,
      clock,
      log: host.log,
      onRebuilt: () => sync.listAgain(),
    });
    void opened.then((result) => (index = result.index));
    return { opened, sync };
  }

  async function leave(left: Shared): Promise<void> {
    left.instances -= 1;
    if (left.instances > 0) return;
    if (shared === left) shared = null;
    await left.sync.stop();
    const { index } = await left.opened;
    await index?.close();
  }

  return {
    start(host, options) {
      const { config, problems } = parseConfig(options);
      for (const problem of problems) host.log.warn(problem);
      const { directory } = host.location;
      if (directories.has(directory)) {
        host.log.warn("The plugin is loaded twice for this directory; this copy stays idle.", { directory, version });
        return IDLE;
      }
      directories.add(directory);
      const joined = join(host, config);
      const attachment = attachWhenOpen(host, joined);
      let ended: Promise<void> | null = null;
      const end = async () => {
        directories.delete(directory);
        await attachment.detach();
        await leave(joined);
      };
      return {
        tools: createHistoryTools({
          host,
          config,
          clock,
          opened: joined.opened,
          sync: joined.sync,
          archivedFile: () => null,
        }),
        commands: config.command ? [historyCommand] : [],
        onEvent: (event) => attachment.onEvent(event),
        dispose: () => (ended ??= end()),
      };
    },
  };
}

/** Attaches a host to the sync as soon as the index is open, and keeps its events until then. */
function attachWhenOpen(host: Host, { opened, sync }: Shared): Attachment {
  let waiting: HostEvent[] = [];
  let attachment: Attachment | null = null;
  const attached = opened.then(({ index }) => {
    attachment = sync.attach(host, index === null ? [] : [index]);
    for (const event of waiting) attachment.onEvent(event);
    waiting = [];
    return attachment;
  });
  return {
    onEvent(event) {
      if (attachment !== null) attachment.onEvent(event);
      else if (waiting.length < WAITING_EVENTS) waiting.push(event);
      else waiting[WAITING_EVENTS - 1] = { type: "stream-lost" };
    },
    detach: async () => (await attached).detach(),
  };
}
