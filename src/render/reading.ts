/** Reading: the answer of history-read, a JSON string that fits the host's limit. */

import type { Reading, ReadEntry } from "../search/read-session-request.ts";
import { ANSWER_BUDGET, type Breathe } from "./fit.ts";
import { headWithin } from "./cut.ts";
import { localIso } from "./local-time.ts";
import { type ContentOptions, type MessageContent, messageContent } from "./message-content.ts";

export interface ReadingOptions extends ContentOptions {
  /** The message the window was asked around; null for a page. */
  readonly anchorId: string | null;
  /** Called between messages. */
  readonly breathe: Breathe;
  /** UTF-8 bytes of the whole answer. */
  readonly maxBytes?: number;
}

interface ShownMessage extends MessageContent {
  readonly messageID: string;
  readonly role: string | null;
  /** Local ISO 8601 with offset. */
  readonly time: string | null;
  /** Only there when true: the person took this message back. */
  readonly reverted?: true;
}

/**
 * Shows as many messages as fit: a page from its first on, a window from its anchor outwards, so that the farthest are
 * left out first. `nextCursor` follows what is shown.
 */
export async function renderReading(reading: Reading, options: ReadingOptions): Promise<string> {
  const { anchorId, breathe, maxBytes = ANSWER_BUDGET.bytes } = options;
  const entries = [...reading.before, ...(reading.anchor === null ? [] : [reading.anchor]), ...reading.after];
  const shown = new Map<number, ShownMessage>();
  let room = maxBytes - ENVELOPE_BYTES - 2 * Buffer.byteLength(JSON.stringify([reading.sessionId, anchorId]), "utf8");
  for (const index of nearestFirst(reading)) {
    const entry = entries[index];
    if (entry === undefined) continue;
    await breathe();
    const message = show(entry, options);
    const size = sizeOf(message);
    if (size > room && shown.size > 0) break;
    shown.set(index, size > room ? shorten(message, room) : message);
    room -= size;
  }

  const indexes = [...shown.keys()].sort((a, b) => a - b);
  const last = indexes.at(-1) ?? -1;
  const isEnd = last === entries.length - 1 && !reading.more;
  return JSON.stringify({
    sessionID: reading.sessionId,
    messages: indexes.map((index) => shown.get(index)),
    nextCursor: isEnd ? null : last < reading.before.length ? anchorId : (entries[last]?.message.id ?? null),
    ...(anchorId === null ? {} : { anchorIncluded: reading.anchor !== null }),
  });
}

/** Keys and punctuation of the envelope, and a cursor. */
const ENVELOPE_BYTES = 400;

/**
 * Indexes of `before`, anchor and `after` in the order in which they are given room. Of two equally far from the anchor
 * the earlier one comes first: nextCursor leads only forwards.
 */
function* nearestFirst({ before, anchor, after }: Reading): Generator<number, void, undefined> {
  const first = before.length + (anchor === null ? 0 : 1);
  if (anchor !== null) yield before.length;
  for (let distance = 0; distance < Math.max(before.length, after.length); distance += 1) {
    if (distance < before.length) yield before.length - 1 - distance;
    if (distance < after.length) yield first + distance;
  }
}

function show(entry: ReadEntry, options: ReadingOptions): ShownMessage {
  const { message, reverted } = entry;
  return {
    messageID: message.id,
    role: message.role,
    time: localIso(message.createdAt),
    ...messageContent(message, options),
    ...(reverted ? { reverted } : {}),
  };
}

function sizeOf(message: ShownMessage): number {
  return Buffer.byteLength(JSON.stringify(message), "utf8") + 1;
}

/** The message with the longest beginning of its content that fits in `room` bytes of JSON. */
function shorten(message: ShownMessage, room: number): ShownMessage {
  const cut = (units: number): ShownMessage => ({
    ...message,
    content: headWithin(message.content, units),
    truncated: true,
  });
  let fitting = 0;
  let tooLong = message.content.length;
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2);
    if (sizeOf(cut(middle)) <= room) fitting = middle;
    else tooLong = middle;
  }
  return cut(fitting);
}
