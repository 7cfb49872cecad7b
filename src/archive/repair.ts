/** Repair: looks after a session file that is damaged: keeps the damaged bytes, and writes what can be read of them. */

import { basename } from "node:path";

import type { Clock } from "../runtime/clock.ts";
import { startTimeSlice } from "../runtime/time-slice.ts";
import { type FileIdentity, type FileSystem, identityOf } from "./file-system.ts";
import { jsonPieces } from "./json-text.ts";
import { type RecoveredSession, type RecoveredTurn, recoverSession } from "./recover.ts";
import { scanSessionFile } from "./session-file-scan.ts";
import { SessionRecord, turnAt, type Turn } from "./session-record.ts";
import { writeSession } from "./session-writer.ts";
import { Spool } from "./spool.ts";

export interface RepairTools {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
}

export type FileState =
  | { readonly kind: "sound" }
  /** Sound JSON that somebody laid out anew, or a version of the format before this one: written again in our lines. */
  | { readonly kind: "laid-out" }
  /** JSON, but no session: somebody else's file. */
  | { readonly kind: "foreign" }
  /** Somebody else's file under a session's name, which made room for it. `holds`: the session it says it is, if any. */
  | { readonly kind: "set-aside"; readonly holds: string | null }
  | { readonly kind: "recovered"; readonly turns: number; readonly damage: string }
  /** Nothing could be read; the bytes are beside, and the session has no file now. */
  | { readonly kind: "lost"; readonly damage: string };

/** Checks a session file byte by byte, and repairs it when it is damaged. */
export async function repairSessionFile(path: string, tools: RepairTools): Promise<FileState> {
  const { fileSystem, clock } = tools;
  const slice = startTimeSlice(clock);
  const file = await identityOf(fileSystem, path);
  if (file === null) return { kind: "foreign" };
  const handle = await fileSystem.open(path, "r");
  try {
    if ((await scanSessionFile(handle, { slice, verify: true })) !== null) return { kind: "sound" };
  } finally {
    await handle.close();
  }

  const bytes = await fileSystem.readFile(path);
  const session = await recoverSession(bytes, basename(path, ".json"), slice);
  if (session?.sound === true) {
    await rewrite(path, session, file, tools);
    return { kind: "laid-out" };
  }
  const damage = describeDamage(bytes, session !== null);
  if (session === null) {
    if (bytes.length > 0 && isJson(bytes)) return { kind: "foreign" };
    await fileSystem.rename(path, `${path}.damaged`);
    return { kind: "lost", damage };
  }
  await fileSystem.copyFile(path, `${path}.damaged`);
  await rewrite(path, session, file, tools);
  return { kind: "recovered", turns: session.turns.length, damage };
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

function describeDamage(bytes: Buffer, holdsSession: boolean): string {
  if (bytes.length === 0) return "it is empty";
  if (bytes.includes(0)) return "it has runs of NUL bytes";
  const text = bytes.toString().trim();
  if (!holdsSession && !text.startsWith("{")) return "it is not JSON";
  if (!text.endsWith("}")) return "it ends in the middle";
  return "it is not sound JSON";
}

async function rewrite(path: string, session: RecoveredSession, file: FileIdentity, tools: RepairTools): Promise<void> {
  const { header } = session;
  const record = new SessionRecord(header, session.tail);
  record.file = file;
  const spool = new Spool(tools.fileSystem);
  const { stamp } = header.sync;
  try {
    for (const turn of session.turns) record.turns.set(turn.head.messageId, await waitingTurn(turn, stamp, spool));
    for (const turn of session.removedTurns) {
      record.removedTurns.set(turn.head.messageId, await waitingTurn(turn, stamp, spool));
    }
    // A sound file is as complete as it was; a damaged one has to be compared with the host message by message.
    const sync = session.sound ? header.sync : { ...header.sync, complete: false, fingerprint: null };
    await writeSession(record, { ...header, recovered: header.recovered || !session.sound, sync }, spool, path, tools);
  } finally {
    await spool.clear();
  }
}

async function waitingTurn({ head, rest }: RecoveredTurn, stamp: number, spool: Spool): Promise<Turn> {
  const body = Buffer.from([...jsonPieces(rest, 4)].join("")).subarray(1);
  return turnAt({ kind: "waiting", place: await spool.add(body) }, head, stamp);
}
