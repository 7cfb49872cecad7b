/**
 * Torture world: a host of the simplest kind, shared by processes. Each session is a version number in a file; what a
 * session says in a version follows from its id and the number, so that anybody can tell what the index should hold.
 */

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Message, Session } from "../../src/session/session.ts";
import { BUILT_AT, buildSession, userMessage } from "../support/builders.ts";

export interface TortureWorld {
  ids(): string[];
  /** null when the session was deleted, or never was. */
  version(sessionId: string): number | null;
  /** Creates the session, or moves it on to another version. */
  write(sessionId: string, version: number): void;
  remove(sessionId: string): void;
}

export function tortureWorld(directory: string): TortureWorld {
  const fileOf = (id: string) => join(directory, `${id}.version`);
  return {
    ids: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith(".version"))
        .map((name) => name.slice(0, -".version".length))
        .sort(),
    version(id) {
      try {
        return Number(readFileSync(fileOf(id), "utf8"));
      } catch {
        return null;
      }
    },
    write(id, version) {
      writeFileSync(`${fileOf(id)}.new`, String(version));
      renameSync(`${fileOf(id)}.new`, fileOf(id));
    },
    remove: (id) => rmSync(fileOf(id), { force: true }),
  };
}

export function sessionAt(id: string, version: number): Session {
  return buildSession({ id, title: `title of ${id} at ${version}`, updatedAt: BUILT_AT + version });
}

/** Some messages grow and shrink with the version, some never change, one comes and goes. */
export function messagesAt(id: string, version: number): Message[] {
  const texts = [
    `constant words of ${id}`,
    `${id} says ${version} `.repeat(1 + ((version * 37) % 1500)),
    ...Array.from({ length: (version * 7) % 12 }, (_, n) => `${id} line ${n} since ${version - (version % 5)}`),
  ];
  return texts.map((text, n) => userMessage(`${id}_m${n}`, text, { sessionId: id, createdAt: BUILT_AT + n }));
}
