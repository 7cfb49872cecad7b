/** Recording logger: keeps what was logged. */

import type { LogFields, Logger } from "../../src/runtime/logger.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

export function createRecordingLogger(): Logger & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const write =
    (level: LogLine["level"]) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields });
  return { lines, debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
