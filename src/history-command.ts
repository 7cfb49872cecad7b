/** History command: `/history <words>`, for the person at the keyboard. */

import type { HostCommand } from "./host/host.ts";
import { HISTORY_COMMAND, HISTORY_PROMPT_MARK } from "./session/history-prompt.ts";

/** The host puts what was typed after the command in place of `$ARGUMENTS`. */
export const historyCommand: HostCommand = {
  name: HISTORY_COMMAND,
  description: "Search past sessions and answer from them",
  template: `/${HISTORY_COMMAND} $ARGUMENTS

${HISTORY_PROMPT_MARK} Look through the history of past sessions for what stands after /${HISTORY_COMMAND}
above. If nothing stands there, list the recent sessions with history-search-sessions and ask what to look for.

Use history-search-messages first; if it finds nothing, try fewer or other words, then project:all, then
history-search-sessions. For a file, use history-search-edits with path:. Read around the best hits with history-read.
Then answer in a few sentences. Name the sessions you used by title, session id and date, and say which of them to open
next and why. If nothing was found, say what you searched for.`,
};
