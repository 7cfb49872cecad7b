/**
 * Recording: what a real host answered and emitted during one scenario, as kept in `fixtures/v1/<name>.json`. Folders
 * of the sandbox read "/sandbox", ports "1"; ids and times are the host's own.
 */

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

import { fieldsOf, listOf, textOf } from "../../src/host/fields.ts";

export interface RecordedSession {
  readonly id: string;
  /** `GET /session/{id}`; null when the scenario deleted it. */
  readonly session: unknown;
  /** `GET /session/{id}/message`: `{info, parts}`, oldest first. */
  readonly messages: readonly unknown[];
}

export interface Recording {
  readonly name: string;
  readonly sessions: readonly RecordedSession[];
  /** `{id, type, properties}` as the plugin's `event` hook got them, in order; those about no session left out. */
  readonly events: readonly unknown[];
}

const FOLDER = join(process.cwd(), "fixtures", "v1");

export function recordingNames(): readonly string[] {
  return readdirSync(FOLDER).map((file) => basename(file, ".json"));
}

export function loadRecording(name: string): Recording {
  const value = fieldsOf(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")));
  return {
    name,
    sessions: listOf(value["sessions"]).map((item) => {
      const { id, session, messages } = fieldsOf(item);
      return { id: textOf(id) ?? "", session, messages: listOf(messages) };
    }),
    events: listOf(value["events"]),
  };
}
