/**
 * Recover: reads what can be read of a damaged session file. Each turn stands on lines of its own, so damage to one does
 * not take the others with it; a turn that is damaged itself is mended as far as its text goes.
 */

import { jsonrepair } from "jsonrepair";

import type { TimeSlice } from "../runtime/time-slice.ts";
import { asHeader, asTail } from "./session-file-schema.ts";
import type { SessionHeader, SessionTail, TurnHead } from "./session-file.ts";
import { isObject, MARKS, parseObject, parseTurnHead } from "./session-file-text.ts";

export interface RecoveredTurn {
  readonly head: TurnHead;
  /** What follows the head: parts and the rest. */
  readonly rest: Readonly<Record<string, unknown>>;
}

export interface RecoveredSession {
  readonly header: SessionHeader;
  readonly turns: readonly RecoveredTurn[];
  readonly removedTurns: readonly RecoveredTurn[];
  readonly tail: SessionTail;
  /** Whether the text was sound JSON, only not laid out as the archive does it. */
  readonly sound: boolean;
}

/** A file that is not laid out in our lines is mended as one text up to this length. */
const LONGEST_TEXT = 8 * 1024 * 1024;

/**
 * @param sessionId the session the file is named for, used when its own id cannot be read
 * @returns null when nothing of a session can be read
 */
export async function recoverSession(
  bytes: Buffer,
  sessionId: string,
  slice: TimeSlice,
): Promise<RecoveredSession | null> {
  const text = bytes.toString("utf8");
  const whole = text.length <= LONGEST_TEXT ? parseObject(text) : null;
  if (whole !== null) return fromSoundJson(whole, sessionId);
  const blocks = text.split(/^(?= {4}\{$)/mu);
  if (blocks.length > 1) return fromBlocks(blocks, sessionId, slice);
  const mended = text.length <= LONGEST_TEXT ? mend(text) : null;
  return mended === null ? null : fromObject(mended, sessionId, "mended");
}

/** Drops what no JSON text holds: control characters other than line breaks and tabs. */
function withoutControls(text: string): string {
  return text.replaceAll(/(?![\n\r\t])\p{Cc}/gu, (character) => (character >= "\u007f" ? character : ""));
}

function mend(text: string): Record<string, unknown> | null {
  try {
    return parseObject(jsonrepair(withoutControls(text)));
  } catch {
    return null;
  }
}

async function fromBlocks(
  blocks: readonly string[],
  sessionId: string,
  slice: TimeSlice,
): Promise<RecoveredSession | null> {
  const turns: RecoveredTurn[] = [];
  const removedTurns: RecoveredTurn[] = [];
  const permissions: unknown[] = [];
  const errors: unknown[] = [];
  let section = turns;
  const [top = "", ...items] = blocks;
  for (const block of items) {
    await slice.breathe();
    const value = readBlock(block);
    if (value !== null && "requestId" in value) permissions.push(value);
    else if (value !== null && "sessionID" in value) errors.push(value);
    else if (value !== null) section.push(...asTurn(value));
    if (block.includes(MARKS.removedTurns)) section = removedTurns;
  }
  const first = [...turns, ...removedTurns][0]?.head.timestamp;
  const last = turns.at(-1)?.head.timestamp ?? first;
  const { _id: id, ...rest } = mend(top.slice(0, Math.max(0, top.lastIndexOf(MARKS.turns)) || undefined)) ?? {};
  const header = asHeader({ _id: typeof id === "string" ? id : sessionId, startedAt: first, updatedAt: last, ...rest });
  const tail = asTail({ permissions, errors });
  if (header === null || tail === null) return null;
  return { header, turns, removedTurns, tail, sound: false };
}

/** A block holds an item and whatever stands before the next one. */
function readBlock(block: string): Record<string, unknown> | null {
  const end = block.indexOf(MARKS.turnEnd);
  const item = end === -1 ? block : block.slice(0, end + MARKS.turnEnd.length);
  const sound = parseObject(item);
  // Bytes that are no character were read as U+FFFD.
  if (sound !== null) return item.includes("\ufffd") ? { ...sound, digest: null } : sound;
  const mended = mend(item);
  // Its words may be incomplete now, so it must not pass for the message that the digest is of.
  return mended === null ? null : { ...mended, digest: null };
}

/** JSON can be sound and have lost something all the same: a few changed bytes in a key, an id or a time. */
function fromSoundJson(value: Record<string, unknown>, sessionId: string): RecoveredSession | null {
  const session = fromObject(value, sessionId, "sound");
  if (session !== null && holdsAllTurns(session, value)) return session;
  const isSession = session !== null || Array.isArray(value["turns"]);
  return isSession ? fromObject(value, sessionId, "incomplete") : null;
}

function holdsAllTurns({ turns, removedTurns }: RecoveredSession, value: Record<string, unknown>): boolean {
  return (
    Array.isArray(value["turns"]) &&
    turns.length === value["turns"].length &&
    removedTurns.length === objects(value["removedTurns"]).length
  );
}

/**
 * @param state "sound": nothing is missing; "incomplete": what is there is as it was written; "mended": even a turn's
 *   words may not be
 */
function fromObject(
  value: Record<string, unknown>,
  sessionId: string,
  state: "sound" | "incomplete" | "mended",
): RecoveredSession | null {
  const turnsOf = (items: unknown) =>
    objects(items).flatMap((item) => asTurn(state === "mended" ? { ...item, digest: null } : item));
  const turns = turnsOf(value["turns"]);
  const header = asHeader(
    state === "sound" ? value : { ...value, ...mendedTop(value, turns, sessionId, state === "incomplete") },
  );
  const tail = asTail(value);
  if (header === null || tail === null) return null;
  return { header, turns, removedTurns: turnsOf(value["removedTurns"]), tail, sound: state === "sound" };
}

/** What a session file must have at its top, taken from the rest of the file where it cannot be read there. */
function mendedTop(
  { _id: id, startedAt, updatedAt }: Record<string, unknown>,
  turns: readonly RecoveredTurn[],
  sessionId: string,
  isWholeTop: boolean,
): object {
  const first = turns[0]?.head.timestamp;
  const last = turns.at(-1)?.head.timestamp;
  return {
    _id: typeof id === "string" && id !== "" ? id : sessionId,
    startedAt: [startedAt, first, isWholeTop ? updatedAt : null].find(isTime),
    updatedAt: [updatedAt, last, isWholeTop ? startedAt : null].find(isTime),
  };
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function objects(items: unknown): Record<string, unknown>[] {
  return Array.isArray(items) ? items.filter((item) => isObject(item)) : [];
}

function asTurn(value: Record<string, unknown>): RecoveredTurn[] {
  const { role, messageId, timestamp, reverted, revertedFromPart, removedAt, redacted, digest, parts, ...rest } = value;
  const top = { role, messageId, timestamp, reverted, revertedFromPart, removedAt, redacted, digest };
  const head = parseTurnHead(JSON.stringify(top).slice(0, -1));
  return head === null ? [] : [{ head, rest: { parts: Array.isArray(parts) ? parts : [], ...rest } }];
}
