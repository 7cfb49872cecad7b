/** History command: `/history <words>`, for the person at the keyboard. */

import type { HostCommand } from "./host/host.ts";

/** The host puts what was typed after the command in place of `$ARGUMENTS`. */
export const historyCommand: HostCommand = {
  name: "history",
  description: "Search past sessions and answer from them",
  template: `Look through the history of past sessions for: $ARGUMENTS

Use history-search-messages first; if it finds nothing, try fewer or other words, then project:all, then
history-search-sessions. For a file, use history-search-edits with path:. Read around the best hits with history-read.
Then answer in a few sentences. Name the sessions you used by title, session id and date, and say which of them to open
next and why. If nothing was found, say what you searched for.`,
};
