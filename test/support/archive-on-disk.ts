/** Archive on disk: the session files that the plugin wrote into a project, read as anybody would read them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Fields } from "../../src/host/fields.ts";
import { fieldsOf } from "../../src/host/fields.ts";
import { until } from "./conversation.ts";

export function archiveFolder(project: string): string {
  return join(project, ".opencode", "sessions");
}

/** Every file of the archive with its text, by name; a temporary one may be renamed while the folder is read. */
export function archiveTexts(project: string): ReadonlyMap<string, string> {
  const folder = archiveFolder(project);
  if (!existsSync(folder)) return new Map();
  const texts = new Map<string, string>();
  for (const name of readdirSync(folder)) {
    try {
      texts.set(name, readFileSync(join(folder, name), "utf8"));
    } catch (error) {
      if (fieldsOf(error)["code"] !== "ENOENT") throw error;
    }
  }
  return texts;
}

/** A session's file; null while there is none. @throws when it is no JSON: a reader must never see half a file */
export function archivedSession(project: string, sessionId: string): Fields | null {
  const text = archiveTexts(project).get(`${sessionId}.json`);
  return text === undefined ? null : fieldsOf(JSON.parse(text));
}

/** Waits until a session's file is as wanted. @throws with the last state when it never is */
export async function archivedUntil(
  project: string,
  sessionId: string,
  wanted: (session: Fields) => boolean,
): Promise<Fields> {
  return until(`the archived ${sessionId}`, async () => {
    const session = archivedSession(project, sessionId);
    return session !== null && wanted(session) ? session : null;
  }).catch((error: unknown) => {
    const state = JSON.stringify(archivedSession(project, sessionId), null, 1);
    throw new Error(`${error instanceof Error ? error.message : String(error)} It is ${state}`, { cause: error });
  });
}
