/** Log: our diagnostics in OpenCode's own log file. Nothing is awaited, and a failure to log is nobody's business. */

import type { PluginInput } from "@opencode-ai/plugin";

import type { LogFields, Logger } from "../../runtime/logger.ts";

/** The name our log entries carry in requests; the log file itself does not show it, so messages repeat it. */
const SERVICE = "opencode-history";

export function createLog(client: PluginInput["client"]): Logger {
  const write = async (level: "debug" | "info" | "warn" | "error", message: string, extra?: LogFields) => {
    try {
      const body = { service: SERVICE, level, message: `${SERVICE}: ${message}`, ...(extra ? { extra } : {}) };
      await client.app.log({ body });
    } catch {
      // There is no other place to say it: stdout and stderr belong to the host's interface.
    }
  };
  return {
    debug: (message, fields) => void write("debug", message, fields),
    info: (message, fields) => void write("info", message, fields),
    warn: (message, fields) => void write("warn", message, fields),
    error: (message, fields) => void write("error", message, fields),
  };
}
