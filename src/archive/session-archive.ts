/**
 * Session archive: everything that is done to one session's file, one thing after the other. The record is read from the
 * file when it is first needed, and written when the schedule says so.
 */

import { basename } from "node:path";

import type { Masker } from "../redact/mask.ts";
import type { Session } from "../session/session.ts";
import type { ArchiveEvent } from "./archive-event.ts";
import type { AttachmentMode } from "./attachment.ts";
import { sameFile } from "./file-system.ts";
import { readGitHead } from "./git-head.ts";
import { OwnFile, type OwnFileTools } from "./own-file.ts";
import type { FileState } from "./repair.ts";
import { applyEvent } from "./session-events.ts";
import { headerFields, newHeader } from "./session-header.ts";
import { mergeFile, mergeNoFile } from "./session-merge.ts";
import { SessionRecord } from "./session-record.ts";
import { writeSession } from "./session-writer.ts";
import { Spool } from "./spool.ts";
import { isoTime } from "./turn.ts";
import { comparable, headerToWrite, type WrittenHeaderContext } from "./written-header.ts";

export interface SessionArchiveTools extends OwnFileTools, WrittenHeaderContext {
  readonly masker: Masker;
  readonly attachments: AttachmentMode;
  /** Root of the archived worktree. */
  readonly root: string;
  /** The session differs from its file now. */
  onChange(sessionId: string): void;
}

/** A session that began so lately that the worktree is still as it was then. */
const JUST_STARTED_MS = 60_000;
/** Events that wait for a session of which nothing is known yet. */
const MOST_WAITING_EVENTS = 100;
/** Times another process may replace a file while we are about to. */
const MOST_OVERTAKEN = 10;

export class SessionArchive {
  readonly id: string;
  readonly tools: SessionArchiveTools;
  readonly spool: Spool;
  readonly #file: OwnFile;
  #record: SessionRecord | null = null;
  #loaded = false;
  /** What the file says at its top, the stamp aside. */
  #written: string | null = null;
  #waitingEvents: ArchiveEvent[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #underWay = 0;

  constructor(id: string, tools: SessionArchiveTools) {
    this.id = id;
    this.tools = tools;
    this.spool = new Spool(tools.fileSystem);
    this.#file = new OwnFile(id, tools);
  }

  /** Whether it can be forgotten and read again later; only events of a session that nothing is known of are lost. */
  get isIdle(): boolean {
    return this.#underWay === 0 && !this.#differs();
  }

  /** Runs `work` when all earlier work on this session is done. */
  run<Result>(work: (record: SessionRecord | null) => Promise<Result> | Result): Promise<Result> {
    this.#underWay += 1;
    const result = this.#last.then(async () => {
      try {
        return await work(await this.#load());
      } finally {
        this.#underWay -= 1;
      }
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** As `run`; what changed by then is to be written. */
  change<Result>(work: (record: SessionRecord | null) => Promise<Result> | Result): Promise<Result> {
    return this.run(async (record) => {
      const result = await work(record);
      if (this.#differs()) this.tools.onChange(this.id);
      return result;
    });
  }

  /** The record of a session, made when there is none; null when the host has deleted it. */
  known(session: Session): Promise<SessionRecord | null> {
    return this.run(async (record) => {
      if (record === null) return this.#create(session);
      const current = await this.#compared(record);
      return current.deleted ? null : current;
    });
  }

  /** Takes what the host's listing says of the session, unless something later is known. */
  describe(record: SessionRecord, session: Session, stamp: number): void {
    if (stamp < record.headerStamp || record.deleted) return;
    record.headerStamp = stamp;
    record.updateHeader(headerFields(session, this.tools));
  }

  note(event: ArchiveEvent): Promise<void> {
    return this.change(async (record) => {
      const session = "session" in event ? event.session : null;
      if (record === null && (event.type !== "session-created" || session === null)) {
        if (this.#waitingEvents.length < MOST_WAITING_EVENTS) this.#waitingEvents.push(event);
        return;
      }
      if (record?.deleted === true) return;
      const target = record ?? (session === null ? null : await this.#create(session));
      if (target === null) return;
      if (session !== null && session.updatedAt >= Date.parse(target.header.updatedAt)) {
        this.describe(target, session, target.headerStamp);
      }
      applyEvent(target, event, this.tools.masker);
    });
  }

  /** Marks the session as deleted at `at`, epoch milliseconds. */
  remove(at: number): Promise<void> {
    return this.change((record) => {
      if (record !== null && !record.deleted) record.updateHeader({ deletedAt: isoTime(at) });
    });
  }

  /** Looks whether the file says the same: its sub-sessions may have changed, or a turn ended. */
  touch(): Promise<void> {
    return this.change(() => undefined);
  }

  /** Checks the file byte by byte. */
  verify(): Promise<FileState> {
    return this.run(async () => {
      const state = await this.#file.check();
      // What waits here is merged with the mended file by the next write.
      if (state.kind !== "sound" && !this.#differs()) this.#forget();
      return state;
    });
  }

  /**
   * Writes the file if the session differs from it.
   * @returns whether it was written
   * @throws what the file system rejects with
   */
  write(): Promise<boolean> {
    return this.run(async (record) => {
      if (record === null) return false;
      for (let attempt = 0; this.#differs(); attempt += 1) {
        const header = headerToWrite(record, this.tools);
        const outcome = await writeSession(record, header, this.spool, this.#file.path, this.tools);
        if (outcome.kind === "written") {
          await this.spool.clear();
          record.changed = false;
          this.#written = comparable(header);
          this.tools.catalog.set({ fileName: basename(this.#file.path), file: outcome.file, header });
          return true;
        }
        if (attempt >= MOST_OVERTAKEN) throw new Error("Other processes keep writing this session's file.");
        await this.#rebase(record);
      }
      return false;
    });
  }

  #differs(): boolean {
    const record = this.#record;
    return record !== null && (record.changed || comparable(headerToWrite(record, this.tools)) !== this.#written);
  }

  async #load(): Promise<SessionRecord | null> {
    if (this.#loaded) return this.#record;
    const read = await this.#file.read();
    if (read !== null) {
      this.#record = SessionRecord.ofFile(read.scanned, read.file);
      this.#written = comparable(read.scanned.header);
      if (read.scanned.header.sync.settings !== this.tools.settings) this.#record.forgetDigests();
    }
    this.#loaded = true;
    return this.#record;
  }

  /** What another process, a person or git made of the file; the next write merges it with what waits here, if any. */
  async #compared(record: SessionRecord): Promise<SessionRecord> {
    if (record.file === null || this.#differs() || sameFile(record.file, await this.#file.identity())) return record;
    this.#forget();
    const read = await this.#load();
    if (read !== null) {
      read.stamp = Math.max(read.stamp, record.stamp);
      return read;
    }
    mergeNoFile(record);
    this.#record = record;
    return record;
  }

  async #rebase(record: SessionRecord): Promise<void> {
    const read = await this.#file.readOrSetAside();
    if (read === null) mergeNoFile(record);
    else mergeFile(record, read.scanned, read.file);
  }

  async #create(session: Session): Promise<SessionRecord> {
    const { fileSystem, clock, root, masker } = this.tools;
    const started = Math.abs(clock.now() - session.createdAt) < JUST_STARTED_MS;
    const git = started ? await readGitHead(fileSystem, root) : null;
    const record = new SessionRecord({ ...newHeader(session, this.tools), git });
    record.changed = true;
    this.#record = record;
    for (const event of this.#waitingEvents.splice(0)) applyEvent(record, event, masker);
    return record;
  }

  #forget(): void {
    this.#record = null;
    this.#loaded = false;
    this.#written = null;
  }
}
