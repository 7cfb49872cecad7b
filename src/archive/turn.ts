/** Turn: a message as the archive keeps it: named for people, its secrets masked, its attachments by reference. */

import type { Masker } from "../redact/mask.ts";
import type { TimeSlice } from "../runtime/time-slice.ts";
import type { Message, MessageError, ModelRef, Part, ToolPart } from "../session/session.ts";
import { wellFormed } from "../session/well-formed.ts";
import { archiveAttachment, type AttachmentMode } from "./attachment.ts";
import { jsonPieces } from "./json-text.ts";

export interface TurnTools {
  readonly masker: Masker;
  readonly attachments: AttachmentMode;
  readonly slice: TimeSlice;
}

export interface EncodedTurn {
  /** UTF-8 text of the turn from the line break before `"parts"` to its closing brace. */
  readonly body: Buffer;
  /** Masked secrets of each kind; null when there were none. */
  readonly redacted: Readonly<Record<string, number>> | null;
  /** The turn's error, as it may be shown. */
  readonly error: MessageError | null;
}

/** Turns stand four spaces deep in the file. */
const INDENT = 4;

export async function encodeTurn(message: Message, tools: TurnTools): Promise<EncodedTurn> {
  const text = new TurnText(tools);
  const parts: unknown[] = [];
  for (const part of message.parts) {
    const archived = await archivePart(part, text);
    if (archived !== null) parts.push(archived);
  }
  const error = message.error === null ? null : { ...message.error, message: await text.masked(message.error.message) };
  const value = {
    parts,
    ...(message.role === null ? { type: message.nativeType } : {}),
    ...present({
      agent: message.agent,
      model: modelName(message.model),
      cost: message.cost,
      tokens: message.tokens,
      finish: message.finish,
      completedAt: isoTime(message.completedAt),
      parentId: message.parentId,
    }),
    ...(message.isSummary ? { summary: true } : {}),
    ...(error === null ? {} : { error }),
  };
  const pieces: Buffer[] = [];
  for (const piece of jsonPieces(value, INDENT)) {
    pieces.push(Buffer.from(piece));
    await tools.slice.breathe();
  }
  // The opening brace belongs to the turn's head.
  return { body: Buffer.concat(pieces).subarray(1), redacted: text.counts(), error };
}

/** "provider/model". */
export function modelName(model: ModelRef | null): string | null {
  return model === null ? null : `${model.providerId}/${model.modelId}`;
}

export function isoTime(at: number | null): string | null {
  return at === null || Number.isNaN(new Date(at).getTime()) ? null : new Date(at).toISOString();
}

function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** null for what has no words of its own. */
async function archivePart(part: Part, text: TurnText): Promise<unknown> {
  switch (part.type) {
    case "text":
      return { type: "text", text: await text.masked(part.text), ...(part.synthetic ? { synthetic: true } : {}) };
    case "reasoning":
      return { type: "thinking", text: await text.masked(part.text) };
    case "tool":
      return archiveCall(part, text);
    case "file":
      return text.attachment(part);
    case "subtask":
      return {
        type: "subtask",
        agent: part.agent,
        prompt: await text.masked(part.prompt),
        description: await text.masked(part.description),
      };
    case "patch":
      return { type: "patch", files: await text.maskedValue(part.files) };
    case "compaction":
      return { type: "compaction", auto: part.auto };
    case "agent":
      return { type: "agent", name: part.name };
    case "step":
      return null;
    case "unknown":
      return { type: part.nativeType, value: await text.maskedValue(part.value) };
  }
}

async function archiveCall(part: ToolPart, text: TurnText): Promise<unknown> {
  const isError = part.status === "error";
  const attachments: unknown[] = [];
  for (const attachment of part.attachments) attachments.push(await text.attachment(attachment));
  const child = part.metadata["sessionId"];
  return {
    type: "tool",
    toolName: part.tool,
    toolInput: await text.maskedValue(part.input),
    toolOutput: await text.masked(isError ? (part.error ?? part.output) : part.output),
    isError,
    ...(part.status === "pending" || part.status === "running" ? { status: part.status } : {}),
    ...present({
      callId: part.callId,
      title: part.title === null || part.title === "" ? null : await text.masked(part.title),
      startedAt: isoTime(part.startedAt),
      endedAt: isoTime(part.endedAt),
      subSessionId: typeof child === "string" ? child : null,
    }),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

/** Deeper values are kept as one line of JSON, so that no tool's input can exhaust the stack. */
const DEEPEST = 60;
/** Longer values under a telling name are texts, not keys. */
const LONGEST_KEY = 500;

function asOneLine(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested deeper than the stack is: a host's parser takes what JSON.stringify cannot give back.
    return "[nested too deep]";
  }
}

/** The texts of one turn on their way to disk: made well-formed, masked and counted. */
class TurnText {
  readonly #tools: TurnTools;
  readonly #counts: Record<string, number> = {};

  constructor(tools: TurnTools) {
    this.#tools = tools;
  }

  counts(): Readonly<Record<string, number>> | null {
    return Object.keys(this.#counts).length === 0 ? null : { ...this.#counts };
  }

  masked(given: string): Promise<string> {
    return this.#maskedExactly(wellFormed(given));
  }

  /** Changes nothing but secrets. */
  async #maskedExactly(given: string): Promise<string> {
    const { masker, slice } = this.#tools;
    const { text, counts } = await masker.maskAsync(given, slice);
    this.#count(counts);
    await slice.breathe();
    return text;
  }

  /** Masks every text in a JSON-like value, keys included. */
  async maskedValue(value: unknown, depth = 0): Promise<unknown> {
    if (typeof value === "string") return this.masked(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= DEEPEST) return this.masked(asOneLine(value));
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await this.maskedValue(item, depth + 1));
      return items;
    }
    const entries: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value)) {
      const masked = typeof item === "string" ? this.#underName(key, item) : null;
      entries.push([await this.masked(key), masked ?? (await this.maskedValue(item, depth + 1))]);
    }
    return Object.fromEntries(entries);
  }

  attachment(part: Parameters<typeof archiveAttachment>[0]): Promise<unknown> {
    const { attachments, slice } = this.#tools;
    return archiveAttachment(part, attachments, slice, (given) => this.#maskedExactly(given));
  }

  /** A value may be a secret by its name alone: `{"password": "…"}`. null when the name makes no difference. */
  #underName(key: string, value: string): string | null {
    if (value.length > LONGEST_KEY) return null;
    const prefix = `${wellFormed(key)}=`;
    const { text, counts } = this.#tools.masker.mask(prefix + wellFormed(value));
    if (Object.keys(counts).length === 0 || !text.startsWith(prefix)) return null;
    this.#count(counts);
    return text.slice(prefix.length);
  }

  #count(counts: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(counts)) this.#counts[kind] = (this.#counts[kind] ?? 0) + count;
  }
}
