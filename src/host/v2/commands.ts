/**
 * Commands: the product's slash commands as OpenCode 2.x takes them.
 *
 * The facts known of `ctx.command` are few (a domain of that name exists from 2.0.0 on, shaped like `ctx.tool`), so
 * every step is looked for before it is used: where one is missing there is no command, and nothing else is lost.
 */

import { messageOf } from "../../runtime/error-message.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { HostCommand } from "../host.ts";
import { methodOf, type Method } from "./context.ts";

/**
 * Registers commands with the host. Returns at once; a failure is logged.
 * @param transform ctx.command.transform; null where the host has none
 * @returns a function that takes the commands away; never rejects
 */
export function registerCommands(
  transform: Method | null,
  commands: readonly HostCommand[],
  log: Logger,
): () => Promise<void> {
  const registration = register(transform, commands, log);
  return async () => {
    try {
      await methodOf(await registration, "dispose")?.();
    } catch (error) {
      log.warn("The commands could not be taken away", { error: messageOf(error) });
    }
  };
}

async function register(transform: Method | null, commands: readonly HostCommand[], log: Logger): Promise<unknown> {
  if (transform === null || commands.length === 0) return null;
  const edit = (editor: unknown): void => {
    const add = methodOf(editor, "add");
    const update = methodOf(editor, "update");
    for (const { name, description, template } of commands) {
      if (add !== null) add({ name, description, template });
      else update?.(name, (command: object) => Object.assign(command, { description, template }));
    }
  };
  try {
    return await transform(edit);
  } catch (error) {
    log.warn("The /history command could not be registered", { error: messageOf(error) });
    return null;
  }
}
