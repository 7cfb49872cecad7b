/**
 * History: what all directories of one process share. One index, one sync, one archive for each worktree; each
 * directory that a host opens is an instance that joins them, and the last one to leave closes them.
 */

import { createArchives, type ArchiveLease, type Archives } from "./archives.ts";
import { createBackfillToast } from "./backfill-toast.ts";
import { parseConfig, type Config } from "./config.ts";
import type { Host, HostEvent, HostInstance } from "./host/host.ts";
import { historyCommand } from "./history-command.ts";
import { openIndex, type OpenedIndex } from "./open-index.ts";
import type { Clock } from "./runtime/clock.ts";
import { relayLogger } from "./runtime/logger.ts";
import { createHistoryTools } from "./history-tools.ts";
import { limitToOpened } from "./opened-projects.ts";
import { ReadsUnderWay } from "./reads-under-way.ts";
import type { SessionSink } from "./sync/sink.ts";
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
  readonly archives: Archives;
  /** The instances' hosts, whose interface may show messages. */
  readonly hosts: Set<Host>;
  readonly reads: ReadsUnderWay;
  /** What the index is fed through. */
  readonly indexSink: Promise<readonly SessionSink[]>;
}

const IDLE: HostInstance = { tools: [], commands: [], onEvent() {}, dispose: async () => {} };

/** Events that arrive while the index is being opened; past this many, a listing finds what they said. */
const WAITING_EVENTS = 10_000;

export function createHistory(clock: Clock): History {
  const directories = new Set<string>();
  let shared: Shared | null = null;

  function openShared(config: Config): Shared {
    const hosts = new Set<Host>();
    // A host that left must not be called again, not even to log: 1.18 would boot its instance anew.
    const log = relayLogger(() => hosts.values().next().value?.log);
    let index: OpenedIndex["index"] = null;
    const announce = createBackfillToast(clock, (message) => {
      const [host] = hosts;
      if (config.toasts && host !== undefined) void host.toast(message);
    });
    const sync = createSync({
      clock,
      onProgress(progress) {
        const { sessionsKnown, isListingCurrent } = progress;
        if (sessionsKnown !== null && isListingCurrent) index?.setKnownSessions(sessionsKnown);
        announce(progress);
      },
    });
    const opened = openIndex({ directory: config.indexDirectory, clock, log, onRebuilt: () => sync.listAgain() });
    void opened.then((result) => (index = result.index));
    const locations = () => [...hosts].map(({ location }) => location);
    const indexSink = opened.then((result) => {
      if (result.index === null) return [];
      return [config.otherProjects ? result.index : limitToOpened(result.index, locations)];
    });
    return { opened, sync, archives: createArchives(clock, log), hosts, reads: new ReadsUnderWay(), indexSink };
  }

  async function leave(left: Shared, host: Host): Promise<void> {
    left.hosts.delete(host);
    if (left.hosts.size > 0) return;
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
      const joined = (shared ??= openShared(config));
      joined.hosts.add(host);
      if (!config.otherProjects) joined.sync.listAgain();
      const reading = joined.reads.watch(host);
      const index = attachWhenOpen(reading, joined.sync, joined.indexSink);
      const attachments = [index];
      let archive: ArchiveLease | null = null;
      let isUsed = false;
      const use = () => {
        if (isUsed) return;
        isUsed = true;
        const lease = joined.archives.lease(host.location, config);
        archive = lease;
        if (lease !== null) {
          // After the index, so that a session is read once for both.
          const sinks = joined.indexSink.then(() => [lease.archive]);
          attachments.push(attachWhenOpen(reading, joined.sync, sinks));
        }
        void joined.opened.then((opened) => logStart(host, opened, lease));
      };
      // Where our own reading started the instance, nobody works: it says and keeps nothing until something happens.
      if (host.source === "v2" || !joined.reads.some) use();
      let ended: Promise<void> | null = null;
      const end = async () => {
        directories.delete(directory);
        await Promise.all(attachments.map((attachment) => attachment.detach()));
        await archive?.release();
        await leave(joined, host);
      };
      return {
        tools: createHistoryTools({
          host: reading,
          config,
          clock,
          opened: joined.opened,
          sync: joined.sync,
          archivedFile: (sessionId) => joined.archives.fileOf(sessionId),
          archiveTrouble: () => archive?.archive.trouble ?? null,
        }),
        commands: config.command ? [historyCommand] : [],
        onEvent(event) {
          use();
          joined.archives.onEvent(event);
          index.onEvent(event);
        },
        dispose: () => (ended ??= end()),
      };
    },
  };
}

/** The one line that says what runs here. */
function logStart(host: Host, { index, driver, reason }: OpenedIndex, archive: ArchiveLease | null): void {
  host.log.info("started", {
    version,
    host: `${host.source === "v1" ? "OpenCode 1.18" : "OpenCode 2"}${host.version === null ? "" : ` (${host.version})`}`,
    directory: host.location.directory,
    driver: driver ?? "none",
    index: index === null ? `none: ${reason}` : (index.path ?? "in memory"),
    sessionsIndexed: index?.coverage().indexedSessions ?? 0,
    archive: archive?.folder ?? "none",
  });
}

/** Attaches a host to the sync as soon as its sinks are there, and keeps its events until then. */
function attachWhenOpen(host: Host, sync: Sync, sinks: Promise<readonly SessionSink[]>): Attachment {
  let waiting: HostEvent[] = [];
  let attachment: Attachment | null = null;
  const attached = sinks.then((open) => {
    attachment = sync.attach(host, open);
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
