/**
 * Message content: what history-read shows of one message as one text, and what it says it left out.
 *
 * Shown: what was written, the names of tools, failures, and tool results when asked for. Never shown: tool inputs and
 * metadata, reasoning, attachments, and the user parts that the host wrote itself, which repeat tool inputs. Pure.
 */

import type { Message, MessageError, Part, ToolPart } from "../session/session.ts";
import { wellFormed } from "../session/well-formed.ts";
import { headWithin } from "./cut.ts";
import type { Mask } from "./quote.ts";

export interface ContentOptions {
  readonly maxChars: number;
  readonly includeToolResults: boolean;
  readonly mask: Mask;
}

export interface MessageContent {
  /** At most `maxChars` UTF-16 units. */
  readonly content: string;
  /** Whether the cap cut something off. */
  readonly truncated: boolean;
  readonly toolResultsOmitted: boolean;
  readonly otherContentOmitted: boolean;
}

export const RESULTS_OMITTED = "[tool results omitted]";

/**
 * Characters looked at beyond the cap: a secret that begins before the cap is seen whole and masked whole. A private
 * key of 8,192 bits is 6,400 characters long.
 */
const MASK_MARGIN = 16_384;

export function messageContent(message: Message, options: ContentOptions): MessageContent {
  const { maxChars, includeToolResults, mask } = options;
  const { text, isWhole } = beginningOf(blocksOf(message, includeToolResults), maxChars + MASK_MARGIN);
  const masked = mask(wellFormed(text));
  return {
    content: headWithin(masked, maxChars),
    truncated: !isWhole || masked.length > maxChars,
    toolResultsOmitted: !includeToolResults && message.parts.some((part) => part.type === "tool"),
    otherContentOmitted: message.parts.some((part) => isOmitted(part, message)),
  };
}

/** The first `units` of the blocks joined: an output of megabytes is never copied whole. */
function beginningOf(blocks: Iterable<string>, units: number): { readonly text: string; readonly isWhole: boolean } {
  let text = "";
  for (const block of blocks) {
    const room = units - text.length;
    const next = text === "" ? block : `\n\n${block.slice(0, room)}`;
    text += next.slice(0, room);
    if (block.length > room || text.length >= units) return { text, isWhole: false };
  }
  return { text, isWhole: true };
}

function* blocksOf(message: Message, includeToolResults: boolean): Generator<string, void, undefined> {
  for (const part of message.parts) {
    if (part.type === "tool") yield toolBlock(part, includeToolResults);
    else if (part.type === "text" && !isRepetition(part, message) && part.text !== "") yield part.text;
  }
  if (message.error !== null) yield errorBlock(message.error);
}

function toolBlock(part: ToolPart, includeToolResults: boolean): string {
  const call = `[tool: ${part.tool}]`;
  if (!includeToolResults) return `${call} ${RESULTS_OMITTED}`;
  switch (part.status) {
    case "completed":
      return `${call}\n${part.output}`;
    case "error":
      return `${call} [error]\n${part.error ?? ""}`;
    case "pending":
    case "running":
      return `${call} [no result yet]`;
  }
}

function errorBlock(error: MessageError): string {
  const status = error.statusCode === null ? "" : ` (status ${error.statusCode})`;
  return `[error: ${error.name}${status}] ${error.message}`;
}

/** User text that the host wrote: "Called the Read tool with the following input: …" and what it read. */
function isRepetition(part: Part, message: Message): boolean {
  return part.type === "text" && part.synthetic && message.role === "user";
}

/** Whether a part, or something in it, is not shown. Step marks are the host's book-keeping, not content. */
function isOmitted(part: Part, message: Message): boolean {
  switch (part.type) {
    case "text":
      return isRepetition(part, message) && part.text !== "";
    case "reasoning":
      return part.text !== "";
    case "tool":
      return Object.keys(part.input).length > 0 || part.attachments.length > 0;
    case "step":
      return false;
    case "file":
    case "subtask":
    case "patch":
    case "compaction":
    case "agent":
    case "unknown":
      return true;
  }
}
