/** Archives: one archive for each worktree of a process; the instances of one worktree share it. */

import { homedir } from "node:os";

import { createArchive, type Archive } from "./archive/archive.ts";
import { archivePlace } from "./archive/file-layout.ts";
import type { Config } from "./config.ts";
import type { HostEvent, HostLocation } from "./host/host.ts";
import { createMasker, openMasker } from "./redact/mask.ts";
import type { Clock } from "./runtime/clock.ts";
import type { Logger } from "./runtime/logger.ts";

/** An instance's share in an archive. */
export interface ArchiveLease {
  readonly archive: Archive;
  readonly folder: string;
  /** Writes what is waiting; the last one to leave ends the archive. Never rejects. */
  release(): Promise<void>;
}

export interface Archives {
  /** null where the options or the place allow no archive. */
  lease(location: HostLocation, config: Config): ArchiveLease | null;
  /** Takes an event of any instance: which archive a session belongs to is for the archives to tell. */
  onEvent(event: HostEvent): void;
  /** Path of a session's file in any of the archives; null when none has it. */
  fileOf(sessionId: string): Promise<string | null>;
}

interface Open {
  readonly archive: Archive;
  users: number;
}

export function createArchives(clock: Clock, log: Logger): Archives {
  const open = new Map<string, Open>();

  const start = (
    location: HostLocation,
    config: NonNullable<Config["archive"]>,
    redact: boolean,
    place: Place,
  ): Open => ({
    users: 0,
    archive: createArchive({
      place,
      clock,
      log,
      masker: redact ? createMasker() : openMasker,
      isWorktree: location.worktree !== null,
      gitignore: config.gitignore,
      attachments: config.attachments,
      configured: config.directory !== null,
    }),
  });

  return {
    lease(location, { archive: config, redact }) {
      if (config === null) return null;
      const place = archivePlace(location.directory, location.worktree, config.directory, homedir());
      if (place === null) {
        log.warn("There is no archive for this directory: sessions are not kept in a home directory or a root.", {
          directory: location.directory,
        });
        return null;
      }
      const { folder } = place;
      const shared = open.get(folder) ?? start(location, config, redact, place);
      open.set(folder, shared);
      shared.users += 1;
      return {
        archive: shared.archive,
        folder,
        async release() {
          shared.users -= 1;
          if (shared.users > 0) return shared.archive.flush();
          if (open.get(folder) === shared) open.delete(folder);
          return shared.archive.dispose();
        },
      };
    },
    onEvent(event) {
      for (const { archive } of open.values()) deliver(archive, event);
    },
    async fileOf(sessionId) {
      for (const { archive } of open.values()) {
        const file = await archive.fileOf(sessionId);
        if (file !== null) return file;
      }
      return null;
    },
  };
}

type Place = NonNullable<ReturnType<typeof archivePlace>>;

/** What happens to messages reaches an archive through its refreshes; these it takes itself. */
function deliver(archive: Archive, event: HostEvent): void {
  switch (event.type) {
    case "session-created":
    case "session-changed":
    case "session-compacted":
    case "session-busy":
    case "session-idle":
    case "session-error":
    case "session-retry":
    case "permission-asked":
    case "permission-replied":
    case "todos-changed":
      return archive.onEvent(event);
    case "session-deleted":
    case "message-changed":
    case "message-removed":
    case "part-removed":
    case "tool-finished":
    case "stream-lost":
      return;
  }
}
