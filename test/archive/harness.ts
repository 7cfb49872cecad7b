/** Archive harness: an archive in a temporary folder, fed as sync feeds it. */

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Archive, type ArchiveOptions, createArchive } from "../../src/archive/archive.ts";
import { archivePlace } from "../../src/archive/file-layout.ts";
import type { SessionHeader, SessionTail, TurnHead } from "../../src/archive/session-file.ts";
import { createMasker } from "../../src/redact/mask.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { messageDigest } from "../../src/session/fingerprint.ts";
import type { Message, Session } from "../../src/session/session.ts";
import type { SessionSink } from "../../src/sync/sink.ts";
import { buildSession } from "../support/builders.ts";

/** A clock that never waits, so that tests write when they flush; sleepers wait for their abort. */
export class StillClock implements Clock {
  time = Date.UTC(2026, 6, 29, 12, 0, 0);
  /** Milliseconds that passed unseen. */
  skipped = 0;

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return performance.now() + this.skipped;
  }

  async sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    if (signal === undefined) return;
    await new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }
}

export interface ArchivedTurn extends TurnHead {
  readonly parts: readonly Readonly<Record<string, unknown>>[];
  readonly summary?: true;
}

export interface ArchivedSession extends Omit<SessionHeader, "_id">, SessionTail {
  readonly id: string;
  readonly turns: readonly ArchivedTurn[];
  readonly removedTurns: readonly ArchivedTurn[];
}

export interface ListedSession {
  readonly id: string;
  readonly parentId: string | null;
  readonly deletedAt?: string;
}

/** One masker for all tests for all: its rules are built once. */
const masker = createMasker();

export class Harness {
  readonly root: string;
  readonly folder: string;
  readonly clock = new StillClock();
  readonly #archives: Archive[] = [];

  private constructor(root: string) {
    this.root = root;
    this.folder = join(root, ".opencode", "sessions");
  }

  static async make(): Promise<Harness> {
    return new Harness(await mkdtemp(join(tmpdir(), "history-archive-")));
  }

  /** Opens an archive of the folder, as a process that starts does. */
  open(given: Partial<ArchiveOptions> = {}): Archive {
    const place = archivePlace(this.root, this.root, null, "/nobody");
    if (place === null) throw new Error("The folder for the test is refused.");
    const archive = createArchive({
      place,
      clock: this.clock,
      log: silentLogger,
      masker,
      isWorktree: true,
      gitignore: true,
      attachments: "reference",
      configured: false,
      hostConfig: null,
      ...given,
    });
    this.#archives.push(archive);
    return archive;
  }

  session(given: Partial<Session> = {}): Session {
    return buildSession({ directory: this.root, ...given });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  text(name: string): Promise<string> {
    return readFile(this.path(name), "utf8");
  }

  /** A session's file, parsed. */
  async json(name: string): Promise<ArchivedSession> {
    const { _id: id, ...file } = JSON.parse(await this.text(name));
    return { id, ...file };
  }

  /** The sessions in index.json. */
  async list(): Promise<readonly ListedSession[]> {
    const { sessions } = JSON.parse(await this.text("index.json"));
    return sessions;
  }

  async names(): Promise<string[]> {
    return (await readdir(this.folder)).sort();
  }

  async dispose(): Promise<void> {
    for (const archive of this.#archives) await archive.dispose();
    await rm(this.root, { recursive: true, force: true });
  }
}

/** Compares all messages of a session, as a full pass does, newest page first. */
export async function fullPass(sink: SessionSink, session: Session, messages: readonly Message[]): Promise<boolean> {
  const refresh = await sink.open(session);
  if (refresh === null) return false;
  for (let end = messages.length; end > 0; end -= 50) {
    const page = messages.slice(Math.max(0, end - 50), end);
    const known = await refresh.digests(page.map(({ id }) => id));
    const digested = page.map((message) => ({ message, digest: messageDigest(message) }));
    await refresh.put(digested.filter(({ message, digest }) => known.get(message.id) !== digest));
  }
  await refresh.finish(new Set(messages.map(({ id }) => id)));
  return true;
}

/** Stores some messages, as following the events does. */
export async function update(sink: SessionSink, session: Session, messages: readonly Message[]): Promise<boolean> {
  const refresh = await sink.open(session);
  if (refresh === null) return false;
  await refresh.put(messages.map((message) => ({ message, digest: messageDigest(message) })));
  await refresh.finish(null);
  return true;
}
