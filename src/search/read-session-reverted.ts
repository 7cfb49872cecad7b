/** Reverted: which messages the person took back: the boundary of the session's revert and all that follows it. */

import type { HostReader } from "../host/host.ts";
import type { Message, Session } from "../session/session.ts";

/**
 * @param messages a stretch of the session without gaps but for messages of another role, oldest first
 * @returns tells of each of them whether it is reverted; a message of which only a part is reverted is not
 */
export async function revertedAmong(
  host: Pick<HostReader, "message">,
  session: Session,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<(message: Message) => boolean> {
  const { revert } = session;
  if (revert === null) return () => false;
  const index = messages.findIndex((message) => message.id === revert.messageId);
  if (index !== -1) {
    const reverted = new Set(messages.slice(revert.partId === null ? index : index + 1));
    return (message) => reverted.has(message);
  }
  const boundary = await host.message(session.id, revert.messageId, signal);
  return (message) => boundary !== null && message.createdAt >= boundary.createdAt;
}
