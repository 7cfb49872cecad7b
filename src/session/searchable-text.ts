/**
 * Searchable text: what of a message can be found by words, cut into documents small enough to be indexed without a
 * noticeable pause.
 *
 * Included: text, reasoning, sub-task prompts, tool names, tool input values (not their keys), tool output, errors,
 * names of attached files. Left out: this product's own calls and the prompts of its command (a search must not find
 * searches), encoded data, the middle of very long parts.
 */

import { CUT_MARK, withoutEncodedData } from "./encoded-data.ts";
import { isHistoryCall } from "./file-edits.ts";
import { cutToGraphemes } from "./grapheme.ts";
import { typedHistoryCommand } from "./history-prompt.ts";
import type { Message, Part, ToolPart } from "./session.ts";
import { cutPlace, endWithin, startWithin, utf8Length } from "./text-cut.ts";
import { wellFormed } from "./well-formed.ts";

/** UTF-8 bytes of one document at most: a single FTS insert cannot be interrupted. */
export const DOCUMENT_BYTES = 16 * 1024;
/** UTF-16 units that two neighbouring pieces of one part share, so that what stands on the cut is found. */
export const PIECE_OVERLAP = 256;
/** Of a part longer than both together, in UTF-8 bytes, only its beginning and its end are searchable. */
const HEAD_BYTES = 48 * 1024;
const TAIL_BYTES = 16 * 1024;
/** UTF-16 units looked at for encoded data at each end of a part: bounds the work on a part of many megabytes. */
const SCANNED_HEAD = 192 * 1024;
const SCANNED_TAIL = 64 * 1024;
/** UTF-16 units of a prompt that are kept to be shown beside what it led to. */
const PROMPT_LENGTH = 300;

/**
 * Stands between the parts of one document, so that no phrase matches across them: it survives the fold, no part
 * holds it (see `storable`), and the query lexer takes it from what is typed.
 */
export const PART_SEPARATOR = "\n\u001e\n";
const SEPARATOR_CHARACTER = "\u001e";
const VISIBLE_SEPARATOR = "\u241e";
const SEPARATOR_BYTES = PART_SEPARATOR.length;

export interface SearchableDocuments {
  /** At least one; that of a message without words is empty. Each at most DOCUMENT_BYTES. */
  readonly chunks: readonly string[];
}

/** The documents of a message. */
export function searchableDocuments(message: Message): SearchableDocuments {
  return { chunks: [...searchableChunks(message)] };
}

/** The documents of a message one after another, so that a caller can give way between them. */
export function* searchableChunks(message: Message): Generator<string> {
  let chunk = "";
  let bytes = 0;
  for (const piece of pieces(message)) {
    const pieceBytes = utf8Length(piece);
    if (chunk === "") {
      chunk = piece;
      bytes = pieceBytes;
    } else if (bytes + SEPARATOR_BYTES + pieceBytes <= DOCUMENT_BYTES) {
      chunk += PART_SEPARATOR + piece;
      bytes += SEPARATOR_BYTES + pieceBytes;
    } else {
      yield chunk;
      chunk = piece;
      bytes = pieceBytes;
    }
  }
  // A piece is never empty, so this is either the last chunk or the only one of a message without words.
  yield chunk;
}

function* pieces(message: Message): Generator<string> {
  for (const raw of messageTexts(message)) {
    for (const text of endsOf(raw)) {
      if (text.trim() !== "") yield* overlappingPieces(text);
    }
  }
}

/** The whole text without encoded data, or its beginning, a mark and its end. */
function endsOf(raw: string): string[] {
  const isScannedWhole = raw.length <= SCANNED_HEAD + SCANNED_TAIL;
  const head = storable(isScannedWhole ? raw : raw.slice(0, cutPlace(raw, SCANNED_HEAD)));
  const tail = isScannedWhole ? head : storable(raw.slice(cutPlace(raw, raw.length - SCANNED_TAIL)));
  if (isScannedWhole && utf8Length(head) <= HEAD_BYTES + TAIL_BYTES) return [head];
  return [head.slice(0, endWithin(head, 0, HEAD_BYTES)), CUT_MARK, tail.slice(startWithin(tail, TAIL_BYTES))];
}

function storable(text: string): string {
  return withoutEncodedData(wellFormed(text).replaceAll(SEPARATOR_CHARACTER, VISIBLE_SEPARATOR));
}

function* overlappingPieces(text: string): Generator<string> {
  let start = 0;
  let end = endWithin(text, start, DOCUMENT_BYTES);
  while (end < text.length) {
    yield text.slice(start, end);
    start = cutPlace(text, end - PIECE_OVERLAP);
    end = endWithin(text, start, DOCUMENT_BYTES);
  }
  yield text.slice(start);
}

/** The texts of a message in reading order. */
function* messageTexts(message: Message): Generator<string> {
  for (const part of message.parts) yield* partTexts(part);
  if (message.error !== null) yield `${message.error.name}: ${message.error.message}`;
}

function* partTexts(part: Part): Generator<string> {
  switch (part.type) {
    case "text":
      if (typedHistoryCommand(part.text) === null) yield part.text;
      break;
    case "reasoning":
      yield part.text;
      break;
    case "subtask":
      yield part.description;
      yield part.prompt;
      break;
    case "file":
      yield part.filename ?? "";
      break;
    case "tool":
      if (!isHistoryCall(part)) yield* toolTexts(part);
      break;
    case "patch":
    case "compaction":
    case "agent":
    case "step":
    case "unknown":
      break;
  }
}

function* toolTexts(part: ToolPart): Generator<string> {
  yield part.tool;
  yield* inputValues(part.input);
  yield part.output;
  yield part.error ?? "";
  for (const attachment of part.attachments) yield attachment.filename ?? "";
}

/** The strings and numbers within a JSON value, in order. Without recursion: a model's JSON may be nested any depth. */
function* inputValues(input: unknown): Generator<string> {
  const pending: unknown[] = [input];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") yield value;
    else if (typeof value === "number") yield String(value);
    else if (typeof value === "object" && value !== null) {
      for (const item of Object.values(value).toReversed()) pending.push(item);
    }
  }
}

/**
 * What a person wrote in a user message, to be shown beside what it led to: at most 300 UTF-16 units, ending in "…"
 * when there was more, never splitting a grapheme. Of a history prompt it is the command as it was typed.
 * @returns null when the message holds no words of a person (synthetic text only, another role)
 */
export function promptText(message: Message): string | null {
  if (message.role !== "user") return null;
  const written = message.parts.flatMap((part) =>
    part.type === "text" && !part.synthetic ? [typedHistoryCommand(part.text) ?? part.text] : [],
  );
  const text = written.join("\n").trim();
  if (text === "") return null;
  return wellFormed(text.length <= PROMPT_LENGTH ? text : `${cutToGraphemes(text, PROMPT_LENGTH - 1)}…`);
}
