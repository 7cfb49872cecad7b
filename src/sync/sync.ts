/**
 * Sync: keeps every sink as the host is. There is one in a process, however many directories are open: each attaches its
 * host, and the sinks it brings, and takes them away when it leaves.
 */

import type { Host, HostEvent } from "../host/host.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { silentLogger } from "../runtime/logger.ts";
import type { BackfillProgress } from "./backfill.ts";
import { Backfill } from "./backfill.ts";
import { Family } from "./family.ts";
import { HostRelay } from "./host-relay.ts";
import { LiveSync } from "./live-sync.ts";
import { Pacer } from "./pacer.ts";
import type { SessionSink } from "./sink.ts";
import { WholeSync } from "./whole-sync.ts";

/** A host that does not heed an abort is not waited for. */
const STOP_MS = 1000;

export interface SyncOptions {
  readonly clock: Clock;
  /** Milliseconds after which a call to the host counts as failed; 30 s when absent. */
  readonly callMs?: number;
  /** Milliseconds that leaving may take to finish what events asked for; 5 s when absent. */
  readonly leaveMs?: number;
  /** Told after each complete listing, and when the first backfill begins and ends. */
  readonly onProgress?: (progress: SyncProgress) => void;
}

export interface SyncProgress extends BackfillProgress {
  /** Sessions that cannot be read or stored at present; each is tried again without end. */
  readonly sessionsFailing: number;
}

/** A host's place in the sync. */
export interface Attachment {
  /** Takes an event of this host. Never throws, never blocks. */
  onEvent(event: HostEvent): void;
  /** Finishes what events asked for, within a bound, and lets the host go. Never rejects; a second call does nothing. */
  detach(): Promise<void>;
}

export interface Sync {
  /**
   * Adds a host to read from and sinks to feed; a sink that several hosts bring is fed once. Returns at once, without
   * calling the host.
   */
  attach(host: Host, sinks: readonly SessionSink[]): Attachment;
  /** Refreshes one session now. Resolves when that was tried; never rejects. */
  refreshNow(sessionId: string): Promise<void>;
  progress(): SyncProgress;
  /** Compares everything with a listing of the host again, because a sink lost what it held. Returns at once. */
  listAgain(): void;
  /** Stops everything without finishing it. Resolves when no sink is being written any more; never rejects. */
  stop(): Promise<void>;
}

export function createSync(options: SyncOptions): Sync {
  const { clock, callMs = 30_000, leaveMs = 5000 } = options;
  const attachments = new Set<readonly SessionSink[]>();
  const reader = new HostRelay(clock, callMs);
  const shared = {
    reader,
    clock,
    pacer: new Pacer(clock),
    family: new Family(),
    sinks: () => [...new Set([...attachments].flat())],
    log: (): Logger => reader.current?.log ?? silentLogger,
  };
  const whole = new WholeSync(shared);
  const live = new LiveSync({ ...shared, whole });
  const progress = (): SyncProgress => ({ ...backfill.progress, sessionsFailing: live.failing + whole.failing });
  const backfill = new Backfill({
    ...shared,
    whole,
    onCompared: () => live.trust(),
    onProgress: () => options.onProgress?.(progress()),
  });
  const listAgain = () => {
    live.distrust();
    backfill.again();
  };
  let started = false;

  /** Waits for the end of something, but not longer than `ms`. */
  const within = async (ms: number, end: Promise<unknown>) => {
    const ended = new AbortController();
    await Promise.race([end, clock.sleep(ms, ended.signal).catch(() => undefined)]);
    ended.abort();
  };
  const finish = async () => {
    await live.drain();
    await whole.drainOwed();
  };

  return {
    attach(host, sinks) {
      const own = [...sinks];
      const isNews = own.some((sink) => !shared.sinks().includes(sink));
      attachments.add(own);
      reader.attach(host);
      if (!started) {
        started = true;
        backfill.start();
      } else if (isNews) backfill.again();
      let attached = true;
      return {
        onEvent(event) {
          if (!attached) return;
          if (event.type === "stream-lost") listAgain();
          else live.onEvent(event);
        },
        async detach() {
          if (!attached) return;
          attached = false;
          await within(leaveMs, finish());
          reader.detach(host);
          attachments.delete(own);
        },
      };
    },
    refreshNow: (sessionId) => live.refreshNow(sessionId),
    listAgain,
    progress,
    async stop() {
      backfill.stop();
      await within(STOP_MS, Promise.all([live.stop(), whole.stop()]));
    },
  };
}
