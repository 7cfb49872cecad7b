/**
 * Archive: a readable copy of every session of one worktree, in `.opencode/sessions/`. It is a sink that sync feeds, and
 * takes a few events itself. There is one in a process for each worktree.
 */

import { homedir } from "node:os";

import { type Masker, openMasker } from "../redact/mask.ts";
import { createMaskingCache } from "../redact/masking-cache.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { startTimeSlice } from "../runtime/time-slice.ts";
import { sessionFingerprint } from "../session/fingerprint.ts";
import type { Session } from "../session/session.ts";
import type { ArchiveEvent } from "./archive-event.ts";
import { ArchiveOutput } from "./archive-output.ts";
import { ArchiveSessions } from "./archive-sessions.ts";
import type { AttachmentMode } from "./attachment.ts";
import { Catalog } from "./catalog.ts";
import { hostConfigFolder } from "./config-folder.ts";
import type { ArchivePlace } from "./file-layout.ts";
import { type FileSystem, identityOf, nodeFileSystem } from "./file-system.ts";
import { FolderWatch } from "./folder-watch.ts";
import { createScope } from "./scope.ts";
import { SessionRefresh } from "./session-refresh.ts";

export interface ArchiveOptions {
  readonly place: ArchivePlace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly masker: Masker;
  /** Whether the place is a git worktree; elsewhere only sessions of exactly that directory are archived. */
  readonly isWorktree: boolean;
  /** Whether the folder hides itself from git; when not, nothing is written while a turn is under way. */
  readonly gitignore: boolean;
  readonly attachments: AttachmentMode;
  /** Whether a person chose the folder. */
  readonly configured: boolean;
  /** OpenCode's own configuration folder; by default where it lies for this process. null: nothing is borrowed from it. */
  readonly hostConfig?: string | null;
  readonly fileSystem?: FileSystem;
}

/** A session sink (sync/sink.ts) that also takes events. */
export interface Archive {
  readonly name: "archive";
  wants(session: Session): boolean;
  outdated(sessions: readonly Session[]): Promise<ReadonlySet<string>>;
  open(session: Session): Promise<SessionRefresh | null>;
  remove(sessionId: string, at: number): Promise<void>;
  /** Takes an event; those it has no use for do no harm. Never throws, never blocks. */
  onEvent(event: ArchiveEvent): void;
  /** Path of a session's file; null when it has none. */
  fileOf(sessionId: string): Promise<string | null>;
  /** Why nothing can be written into the folder at present, a sentence; null when it can. */
  readonly trouble: string | null;
  /** Writes what is waiting, of one session or of all, whether or not a turn is under way. Never rejects. */
  flush(sessionId?: string): Promise<void>;
  /** Writes what is waiting, and ends. Never rejects; a second call does nothing. */
  dispose(): Promise<void>;
}

/** Deletions that are remembered of sessions without a file, whose reading may still be under way. */
const MOST_DELETIONS = 1000;
/** Sessions of other worktrees that are remembered, to leave their events out. */
const MOST_ELSEWHERE = 10_000;

/** Starts an archive. Touches the disk only when it is first asked for something. */
export function createArchive(options: ArchiveOptions): Archive {
  return new WorktreeArchive(options);
}

class WorktreeArchive implements Archive {
  readonly name = "archive";
  readonly #options: ArchiveOptions;
  readonly #fileSystem: FileSystem;
  readonly #settings: string;
  readonly #inScope: (directory: string) => boolean;
  readonly #catalog: Catalog;
  readonly #sessions: ArchiveSessions;
  readonly #output: ArchiveOutput;
  readonly #folder: FolderWatch;
  /** Sessions with a turn under way, of this worktree as far as is known. */
  readonly #busy = new Set<string>();
  readonly #elsewhere = new Set<string>();
  readonly #deletions = new Map<string, number>();
  readonly #background = new Set<Promise<void>>();
  #disposing: Promise<void> | null = null;

  constructor(options: ArchiveOptions) {
    const { place, clock, fileSystem = nodeFileSystem } = options;
    const masker = options.masker === openMasker ? openMasker : createMaskingCache(options.masker);
    this.#options = options;
    this.#fileSystem = fileSystem;
    this.#settings = `${options.masker === openMasker ? "open" : "masked"}, ${options.attachments}`;
    this.#inScope = createScope(place.root, options.isWorktree);
    this.#catalog = new Catalog(place.folder, fileSystem, clock);
    const isBusy = (sessionId: string) => this.#busy.has(sessionId);
    this.#sessions = new ArchiveSessions({
      fileSystem,
      clock,
      isBusy,
      catalog: this.#catalog,
      root: place.root,
      masker,
      attachments: options.attachments,
      settings: this.#settings,
      onChange: (sessionId) => {
        this.#output.request(sessionId);
      },
      onDamage: (sessionId, state) => {
        this.#output.reportDamage(sessionId, state);
      },
    });
    this.#output = new ArchiveOutput({
      ...options,
      hostConfig: options.hostConfig === undefined ? hostConfigFolder(process.env, homedir()) : options.hostConfig,
      fileSystem,
      isBusy,
      catalog: this.#catalog,
      sessions: this.#sessions,
      isTurnUnderWay: () => this.#busy.size > 0,
    });
    this.#folder = new FolderWatch({
      folder: place.folder,
      fileSystem,
      clock,
      catalog: this.#catalog,
      sessions: this.#sessions,
      output: this.#output,
    });
  }

  get trouble(): string | null {
    return this.#output.trouble;
  }

  wants(session: Session): boolean {
    return this.#inScope(session.directory);
  }

  async outdated(sessions: readonly Session[]): Promise<ReadonlySet<string>> {
    if (!(await this.#folder.upToDate())) return new Set();
    const slice = startTimeSlice(this.#options.clock);
    const outdated = new Set<string>();
    for (const session of sessions) {
      if (this.wants(session) && this.#isOutdated(session)) outdated.add(session.id);
      await slice.breathe();
    }
    return outdated;
  }

  async open(session: Session): Promise<SessionRefresh | null> {
    this.#elsewhere.delete(session.id);
    if (!(await this.#folder.ready()) || this.#deletions.has(session.id)) return null;
    const { clock } = this.#options;
    const record = await this.#sessions.get(session.id).known(session);
    if (record === null) return null;
    record.stamp = Math.max(clock.now(), record.stamp + 1);
    return new SessionRefresh({
      session,
      stamp: record.stamp,
      complete: record.complete,
      storedMessages: record.turns.size,
      clock,
      archive: () => this.#sessions.get(session.id),
      charge: (ms) => {
        if (this.#busy.has(session.id)) this.#output.charge(ms);
      },
    });
  }

  async remove(sessionId: string, at: number): Promise<void> {
    if (!(await this.#folder.ready())) throw new Error("The archive's folder cannot be read.");
    this.#busy.delete(sessionId);
    this.#deletions.set(sessionId, at);
    const oldest = this.#deletions.keys().next().value;
    if (this.#deletions.size > MOST_DELETIONS && oldest !== undefined) this.#deletions.delete(oldest);
    await this.#sessions.get(sessionId).remove(at);
  }

  onEvent(event: ArchiveEvent): void {
    if (this.#disposing !== null) return;
    if ("session" in event && event.session !== null && !this.wants(event.session)) this.#leaveOut(event.sessionId);
    if (this.#elsewhere.has(event.sessionId)) return;
    if (event.type === "session-busy") this.#turnBegan(event.sessionId);
    else if (event.type === "session-idle") this.#turnEnded(event.sessionId);
    else this.#inBackground(event.sessionId, () => this.#note(event));
  }

  async fileOf(sessionId: string): Promise<string | null> {
    if (!(await this.#folder.ready())) return null;
    const path = this.#catalog.pathOf(sessionId);
    return (await identityOf(this.#fileSystem, path)) === null ? null : path;
  }

  async flush(sessionId?: string): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
    await this.#output.flush(sessionId === undefined ? undefined : [sessionId]);
  }

  dispose(): Promise<void> {
    this.#disposing ??= this.#end();
    return this.#disposing;
  }

  async #end(): Promise<void> {
    await this.flush();
    this.#output.stop();
  }

  #isOutdated(session: Session): boolean {
    if (this.#deletions.has(session.id)) return false;
    const header = this.#catalog.get(session.id)?.header;
    if (header === undefined) return true;
    if (header.deletedAt !== null) return false;
    const { complete, fingerprint, settings } = header.sync;
    return !complete || settings !== this.#settings || fingerprint !== sessionFingerprint(session);
  }

  async #note(event: ArchiveEvent): Promise<void> {
    if (!(await this.#folder.ready()) || this.#deletions.has(event.sessionId)) return;
    await this.#sessions.get(event.sessionId).note(event);
  }

  /** A process has one stream of events for all its worktrees. */
  #leaveOut(sessionId: string): void {
    if (this.#elsewhere.size >= MOST_ELSEWHERE) this.#elsewhere.clear();
    this.#elsewhere.add(sessionId);
    this.#busy.delete(sessionId);
  }

  /** The end of a deleted session's turn may never be told, and all writes would wait for it. */
  #turnBegan(sessionId: string): void {
    if (!this.#deletions.has(sessionId)) this.#busy.add(sessionId);
  }

  #turnEnded(sessionId: string): void {
    if (!this.#busy.delete(sessionId)) return;
    this.#output.wake();
    this.#inBackground(sessionId, () => this.#sessions.get(sessionId).touch());
  }

  #inBackground(subject: string, work: () => Promise<void>): void {
    const done = this.#reported(subject, work);
    this.#background.add(done);
    void done.finally(() => this.#background.delete(done));
  }

  async #reported(subject: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#output.reportFailure(subject, error);
    }
  }
}
