/** Missing: the errors of a reading whose session, anchor or cursor is not there, and what to do instead. */

import { ReadError, type Stretch } from "./read-session-request.ts";

/** @param archivedFile the archive's file of the session; null when it has none */
export function missingSession(sessionId: string, archivedFile: string | null): ReadError {
  const advice =
    archivedFile === null
      ? "Find the right id with history-search-sessions."
      : `The archive still holds it in the file ${archivedFile}: read that instead.`;
  return new ReadError("no-session", `There is no session ${JSON.stringify(sessionId)} in OpenCode. ${advice}`);
}

export function missingPlace(sessionId: string, stretch: Stretch): ReadError {
  const session = JSON.stringify(sessionId);
  if (stretch.kind === "around") {
    return new ReadError(
      "no-anchor",
      `messageID: session ${session} has no message ${JSON.stringify(stretch.messageId)}. Take a messageID from a search result or from another history-read of this session.`,
    );
  }
  return new ReadError(
    "no-cursor",
    `cursor: session ${session} has no message ${JSON.stringify(stretch.cursor)}. Use the nextCursor of the previous answer as it was given, or leave cursor out to read from the start.`,
  );
}
