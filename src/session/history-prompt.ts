/**
 * History prompt: the message that a host sends to the model when a person types `/history words`. It is a call of this
 * product's tools in other clothes, so it is never indexed: a search must not find searches.
 */

/** The name of the command. */
export const HISTORY_COMMAND = "history";

/** Follows what was typed, and tells this prompt from one that a person wrote. Never to be changed. */
export const HISTORY_PROMPT_MARK = "[command of opencode-history]";

/**
 * What was typed to make a history prompt: the command and its words.
 * @param text the text of a message's part
 * @returns null for every other text
 */
export function typedHistoryCommand(text: string): string | null {
  const end = text.startsWith(`/${HISTORY_COMMAND}`) ? text.indexOf(HISTORY_PROMPT_MARK) : -1;
  return end < 0 ? null : text.slice(0, end).trim();
}
