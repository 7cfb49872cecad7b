/** Archive output: everything that an archive writes, and what it says about itself when it cannot. */

import { basename } from "node:path";

import { messageOf } from "../runtime/error-message.ts";
import type { Masker } from "../redact/mask.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { ArchiveSessions } from "./archive-sessions.ts";
import type { Catalog } from "./catalog.ts";
import { prepareConfigFolder } from "./config-folder.ts";
import { ErrorLog } from "./error-log.ts";
import type { ArchivePlace } from "./file-layout.ts";
import { type FileSystem, hasCode } from "./file-system.ts";
import { prepareFolder } from "./folder.ts";
import { concernsFolder, describeTrouble, FolderTrouble, FolderUnusableError } from "./folder-trouble.ts";
import { Manifest } from "./manifest.ts";
import type { FileState } from "./repair.ts";
import { WriteSchedule } from "./write-schedule.ts";

export interface ArchiveOutputOptions {
  readonly place: ArchivePlace;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly log: Logger;
  readonly masker: Masker;
  readonly gitignore: boolean;
  readonly configured: boolean;
  /** See config-folder.ts; null: the folder is made without a link. */
  readonly hostConfig: string | null;
  readonly catalog: Catalog;
  readonly sessions: ArchiveSessions;
  isBusy(sessionId: string): boolean;
  isTurnUnderWay(): boolean;
}

/** Keys of the schedule besides session ids, which begin with a letter on every host. */
const MANIFEST_KEY = ":index";
const LOG_KEY = ":log";
/** Stands for the reading of the folder, which is no write. */
const FOLDER_KEY = ":folder";
const isOwn = (key: string): boolean => key.startsWith(":");

/** The last state of a session is promised within three seconds, of which sync needs the first: it waits no longer. */
const LONGEST_SESSION_SETTLE_MS = 500;
const LONGEST_LIST_SETTLE_MS = 10_000;
/** Times a write is made again at once because the folder went away under it. */
const MOST_ATTEMPTS = 3;

export class ArchiveOutput {
  readonly #options: ArchiveOutputOptions;
  readonly #manifest: Manifest;
  readonly #errors: ErrorLog;
  readonly #schedule: WriteSchedule;
  readonly #trouble = new FolderTrouble();
  #prepared: Promise<void> | null = null;

  constructor(options: ArchiveOutputOptions) {
    const { place, clock } = options;
    this.#options = options;
    this.#manifest = new Manifest({ ...options, folder: place.folder });
    this.#errors = new ErrorLog({ ...options, folder: place.folder });
    this.#schedule = new WriteSchedule({
      clock,
      write: (key) => this.#write(key),
      // The list of sessions and the log have no turn of their own: any turn is theirs.
      isBusy: (key) => (isOwn(key) ? options.isTurnUnderWay() : options.isBusy(key)),
      longestSettleMs: (key) => (isOwn(key) ? LONGEST_LIST_SETTLE_MS : LONGEST_SESSION_SETTLE_MS),
      isOpen: () => options.gitignore || !options.isTurnUnderWay(),
      onFailure: (key, error, failures) => {
        if (error instanceof FolderUnusableError) this.#reportTrouble(key, error);
        // What failed for the folder's sake before fails for a reason of its own now.
        else if (this.#trouble.settle(key) || failures === 1) this.reportFailure(key, error);
      },
    });
  }

  /** Why nothing can be written at present, a sentence; null when it can. */
  get trouble(): string | null {
    return this.#trouble.sentence;
  }

  /** A session differs from its file. */
  request(sessionId: string): void {
    this.#schedule.request(sessionId);
  }

  requestManifest(): void {
    this.#schedule.request(MANIFEST_KEY);
  }

  /** A turn ended. */
  wake(): void {
    this.#schedule.wake();
  }

  charge(ms: number): void {
    this.#schedule.charge(ms);
  }

  flush(keys?: readonly string[]): Promise<void> {
    return this.#schedule.flush(keys);
  }

  stop(): void {
    this.#schedule.stop();
  }

  reportDamage(sessionId: string, state: FileState): void {
    const kept = `${basename(this.#options.catalog.pathOf(sessionId))}.damaged`;
    if (state.kind === "recovered") {
      this.#note(
        sessionId,
        `The file was damaged (${state.damage}); ${state.turns} turns could be read and are kept until the session is ` +
          `read from OpenCode again. The damaged file is kept as ${kept}.`,
      );
    } else if (state.kind === "lost") {
      this.#note(
        sessionId,
        `The file was damaged (${state.damage}) and nothing in it could be read. It is kept as ${kept}; the session is ` +
          `read from OpenCode again if it is still there.`,
      );
    } else if (state.kind === "set-aside") {
      const content = state.holds === null ? "no session" : `session ${state.holds}`;
      this.#note(
        sessionId,
        `The file of this session's name held ${content}. It is kept as ${kept}; the session is written afresh.`,
      );
    }
  }

  reportStray(fileName: string, sessionId: string): void {
    this.#note(
      fileName,
      `The file says inside that it is session ${sessionId}, and is not named for it. It is left as it is, and not ` +
        `listed: give it back the name or the _id that it had.`,
    );
  }

  reportFailure(key: string, error: unknown): void {
    const message = messageOf(error);
    if (key === LOG_KEY) this.#options.log.warn("The archive's log could not be written.", { error: message });
    else this.#note(key === MANIFEST_KEY ? "index.json" : key, message);
  }

  /** The folder could be read. */
  noteReadable(): void {
    this.#trouble.settle(FOLDER_KEY);
  }

  /** The folder could not be read: it cannot be known what may be written. */
  async reportUnreadable(error: unknown): Promise<void> {
    const { place, fileSystem } = this.#options;
    const sentence = await describeTrouble(error, place.folder, fileSystem);
    this.#reportTrouble(FOLDER_KEY, new FolderUnusableError(sentence, error));
  }

  #note(subject: string, message: string): void {
    this.#options.log.warn("The archive had a problem with a session's file.", { session: subject, problem: message });
    this.#errors.note(subject, message);
    this.#schedule.request(LOG_KEY);
  }

  #reportTrouble(key: string, { message, cause }: FolderUnusableError): void {
    if (!this.#trouble.note(key, message)) return;
    this.#options.log.warn(message, { error: messageOf(cause) });
    this.#errors.note("archive", message);
    this.#schedule.request(LOG_KEY);
  }

  /** @throws FolderUnusableError, or what the file system rejects with for this file alone */
  async #write(key: string): Promise<void> {
    const { place, fileSystem } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#prepare();
        await this.#writePrepared(key);
        this.#trouble.settle(key);
        return;
      } catch (error) {
        const isUnusable = this.#prepared === null || concernsFolder(error);
        const isGone = hasCode(error, "ENOENT", "ENOTDIR");
        if (isGone) this.#prepared = null;
        if (isGone && attempt < MOST_ATTEMPTS) continue;
        if (!isUnusable) throw error;
        throw new FolderUnusableError(await describeTrouble(error, place.folder, fileSystem), error);
      }
    }
  }

  async #writePrepared(key: string): Promise<void> {
    if (key === MANIFEST_KEY) await this.#manifest.write();
    else if (key === LOG_KEY) await this.#errors.write();
    else await this.#writeSession(key);
  }

  async #writeSession(sessionId: string): Promise<void> {
    const { sessions, catalog } = this.#options;
    if (!(await sessions.get(sessionId).write())) return;
    this.requestManifest();
    const parentId = catalog.get(sessionId)?.header.parentId ?? null;
    const parent = parentId === null ? null : catalog.get(parentId);
    if (parent !== null && !parent.header.subSessions.includes(sessionId)) {
      const { _id } = parent.header;
      await sessions.get(_id).touch();
    }
  }

  #prepare(): Promise<void> {
    this.#prepared ??= this.#makeFolder().catch((error: unknown) => {
      this.#prepared = null;
      throw error;
    });
    return this.#prepared;
  }

  async #makeFolder(): Promise<void> {
    const { place, hostConfig } = this.#options;
    if (hostConfig !== null) await prepareConfigFolder(place.root, place.folder, hostConfig);
    await prepareFolder(this.#options);
  }
}
