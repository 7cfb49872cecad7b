/** Tool: what every history tool needs, and how its failures are told to the model. */

import type { HostTool, ToolCall } from "../host/host.ts";
import { clip } from "../render/cut.ts";
import type { Mask } from "../render/quote.ts";
import type { RenderOptions } from "../render/render-options.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { startTimeSlice } from "../runtime/time-slice.ts";
import type { SessionReader } from "../search/read-session-request.ts";
import { ReadError } from "../search/read-session-request.ts";
import { type HistorySearch, SearchUnavailableError } from "../search/request.ts";
import { wellFormed } from "../session/well-formed.ts";
import { ArgumentError, type Arguments, parseArguments, type Parsed, shapeOf } from "./arguments.ts";

export interface ToolsOptions {
  readonly search: HistorySearch;
  readonly reader: SessionReader;
  /** Replaces secrets in what is shown; the identity when masking is switched off. */
  readonly mask: Mask;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How a tool's answer is rendered; `notes` are lines of the tool itself. */
export function renderOptions({ mask, clock }: ToolsOptions, notes: readonly string[]): RenderOptions {
  const slice = startTimeSlice(clock);
  return { mask, notes, breathe: () => slice.breathe() };
}

export interface ToolDefinition<A extends Arguments> {
  readonly name: string;
  /** Must teach all the model needs: hosts may not show what the arguments say of themselves. */
  readonly description: string;
  readonly args: A;
  readonly execute: (input: Parsed<A>, call: ToolCall) => Promise<string>;
}

export function defineTool<A extends Arguments>(definition: ToolDefinition<A>, log: Logger): HostTool {
  const { name, description, args, execute } = definition;
  return {
    name,
    description,
    args: shapeOf(args),
    async execute(given, call) {
      try {
        call.signal.throwIfAborted();
        return await execute(parseArguments(args, given), call);
      } catch (error) {
        if (call.signal.aborted) throw call.signal.reason;
        throw toldToModel(name, error, log);
      }
    },
  };
}

/** UTF-16 units of a refusal: it may repeat what the model sent, of any length. */
const LONGEST_REFUSAL = 2000;

/** An error whose message the model can act on; what is internal goes to the log instead. */
function toldToModel(tool: string, error: unknown, log: Logger): Error {
  if (isWrittenForModel(error)) {
    return new Error(`${tool}: ${clip(wellFormed(error.message), LONGEST_REFUSAL)}`, { cause: error });
  }
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  log.error("a history tool failed", { tool, reason });
  return new Error(
    `${tool} could not read the history just now. Try once more; if it fails again, go on without it and tell the user (details are in OpenCode's log).`,
    { cause: error },
  );
}

/** The host's errors are known by name: this layer may know the host's types only. */
function isWrittenForModel(error: unknown): error is Error {
  return (
    error instanceof ArgumentError ||
    error instanceof ReadError ||
    error instanceof SearchUnavailableError ||
    (error instanceof Error && error.name === "HostError")
  );
}
