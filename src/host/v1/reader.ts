/** Reader: sessions and messages over the routes of OpenCode 1.18. */

import type { Logger } from "../../runtime/logger.ts";
import type { Message, Session } from "../../session/session.ts";
import { nameOf } from "../fields.ts";
import type { HostReader, PageCursor } from "../host.ts";
import { HostError } from "../host.ts";
import { repeatedCursor } from "../paginate.ts";
import { normaliseMessage, normaliseSession } from "./normalise.ts";
import type { RawClient } from "./raw-client.ts";
import { listSessions } from "./session-listing.ts";

/** The most messages asked for at once: a page of 100 takes the host about 100 ms. */
const PAGE_LIMIT = 100;

/** Beginnings of the host's ids. To any other it answers 500 or 400, not 404, with a stack trace in its log. */
const SESSION_ID = /^ses/u;
const MESSAGE_ID = /^msg/u;

export function createReader(client: RawClient, log: Logger): HostReader {
  return {
    sessions: (signal) => listSessions(client, log, signal),

    async session(sessionId, signal): Promise<Session | null> {
      if (!SESSION_ID.test(sessionId)) return null;
      const answer = await client.get({ url: "/session/{id}", path: { id: sessionId } }, signal);
      if (answer === null) return null;
      const session = normaliseSession(answer.data);
      if (session === null)
        throw new HostError("bad-response", `OpenCode's answer for ${sessionId} has no session id.`);
      return session;
    },

    async messages(sessionId, page, signal) {
      if (!SESSION_ID.test(sessionId)) return null;
      const limit = Math.min(Math.max(Math.trunc(page.limit), 1), PAGE_LIMIT);
      const query = { limit, ...(page.before === null ? {} : { before: page.before }) };
      const answer = await client.get({ url: "/session/{id}/message", path: { id: sessionId }, query }, signal);
      if (answer === null) return null;
      if (!Array.isArray(answer.data)) {
        throw new HostError("bad-response", `OpenCode's messages of ${sessionId} are not a list.`);
      }
      const older = cursorOf(answer.header("x-next-cursor"));
      if (older !== null && older === page.before) throw repeatedCursor(`messages of ${sessionId}`, older);
      return { messages: messagesOf(answer.data, sessionId, log), older };
    },

    async message(sessionId, messageId, signal) {
      if (!SESSION_ID.test(sessionId) || !MESSAGE_ID.test(messageId)) return null;
      const path = { id: sessionId, messageID: messageId };
      const answer = await client.get({ url: "/session/{id}/message/{messageID}", path }, signal);
      if (answer === null) return null;
      const message = normaliseMessage(answer.data, sessionId);
      if (message === null) {
        throw new HostError("bad-response", `OpenCode's answer for ${messageId} has no message id.`);
      }
      return message;
    },

    // Seen on the host: the cursor in `x-next-cursor` is this JSON, and one made here is taken alike.
    cursorBefore(message) {
      const place = JSON.stringify({ id: message.id, time: message.createdAt });
      return cursorOf(Buffer.from(place, "utf8").toString("base64url"));
    },
  };
}

/** One message without an id must not cost the session its others: it is left out, and said. */
function messagesOf(list: readonly unknown[], sessionId: string, log: Logger): readonly Message[] {
  const messages = list.map((item) => normaliseMessage(item, sessionId)).filter((message) => message !== null);
  const dropped = list.length - messages.length;
  if (dropped > 0) log.warn("messages without an id left out", { sessionId, dropped });
  return messages;
}

function cursorOf(value: string | null): PageCursor | null {
  const name = nameOf(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the brand is given here, where cursors come in
  return name === null ? null : (name as PageCursor);
}
