/** Session file scan: finds header, turns and tail in a session file without parsing what lies between them. */

import { isUtf8 } from "node:buffer";

import type { TimeSlice } from "../runtime/time-slice.ts";
import { ByteFeed } from "./byte-feed.ts";
import type { FileHandle } from "./file-system.ts";
import { MARKS, parseHeader, parseObject, parseTail, parseTurnHead } from "./session-file-text.ts";
import type { SessionHeader, SessionTail, TurnHead } from "./session-file.ts";

/** A turn and the place of its bytes in the file. */
export interface ScannedTurn {
  readonly head: TurnHead;
  /** Of its first line's indentation. */
  readonly start: number;
  /** Of the line break before `"parts"`. */
  readonly bodyStart: number;
  /** Behind its closing brace. */
  readonly end: number;
}

export interface ScannedFile {
  readonly header: SessionHeader;
  readonly turns: readonly ScannedTurn[];
  readonly removedTurns: readonly ScannedTurn[];
  readonly tail: SessionTail;
}

export interface ScanOptions {
  readonly slice: TimeSlice;
  /** Also parses each turn, so that a sound answer means a sound file. */
  readonly verify?: boolean;
}

/** @returns null when the file is not sound, or not laid out as the archive writes it */
export async function scanSessionFile(handle: FileHandle, options: ScanOptions): Promise<ScannedFile | null> {
  const feed = new ByteFeed(handle);
  const headed = await readHeader(feed);
  if (headed === null) return null;
  const turns = await readSection(feed, headed.end, options);
  if (turns === null) return null;
  const { removedTurns: mark } = MARKS;
  if ((await textAt(feed, turns.end, mark.length)) !== mark) return null;
  const removed = await readSection(feed, turns.end + mark.length, options);
  if (removed === null) return null;
  const rest = await feed.bytes(removed.end);
  const tail = isUtf8(rest) ? parseTail(rest.toString()) : null;
  if (tail === null) return null;
  return { header: headed.header, turns: turns.turns, removedTurns: removed.turns, tail };
}

/** Reads no further than the header. */
export async function scanHeader(handle: FileHandle): Promise<SessionHeader | null> {
  return (await readHeader(new ByteFeed(handle)))?.header ?? null;
}

async function readHeader(feed: ByteFeed): Promise<{ header: SessionHeader; end: number } | null> {
  const at = await feed.find(MARKS.turns, 0);
  if (at === -1) return null;
  const bytes = await feed.bytes(0, at);
  const header = isUtf8(bytes) ? parseHeader(bytes.toString()) : null;
  return header === null ? null : { header, end: at + MARKS.turns.length };
}

/** @returns the turns of one array, and the place behind its bracket */
async function readSection(
  feed: ByteFeed,
  start: number,
  { slice, verify = false }: ScanOptions,
): Promise<{ turns: ScannedTurn[]; end: number } | null> {
  const turns: ScannedTurn[] = [];
  if ((await textAt(feed, start, 1)) === "]") return { turns, end: start + 1 };
  for (let at = start + 1; ;) {
    feed.release(at);
    const bodyStart = await feed.find(MARKS.turnBody, at);
    const turnEnd = bodyStart === -1 ? -1 : await feed.find(MARKS.turnEnd, bodyStart);
    if (turnEnd === -1) return null;
    const end = turnEnd + MARKS.turnEnd.length;
    const head = parseTurnHead((await feed.bytes(at, bodyStart - at)).toString());
    if (head === null || (await textAt(feed, at, MARKS.turnStart.length)) !== MARKS.turnStart) return null;
    if (verify && !isSound(await feed.bytes(at, end - at))) return null;
    turns.push({ head, start: at, bodyStart, end });
    const after = await textAt(feed, end, MARKS.sectionEnd.length);
    if (after === MARKS.sectionEnd) return { turns, end: end + after.length };
    if (!after.startsWith(",\n")) return null;
    at = end + 2;
    await slice.breathe();
  }
}

const isSound = (turn: Buffer): boolean => isUtf8(turn) && parseObject(turn.toString()) !== null;

async function textAt(feed: ByteFeed, start: number, length: number): Promise<string> {
  return (await feed.bytes(start, length)).toString("latin1");
}
