/** Reader: the host port's reading side over a session API of OpenCode 2.x. */

import { messageOf } from "../../runtime/error-message.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Message, Session } from "../../session/session.ts";
import { fieldsOf, isFields, nameOf } from "../fields.ts";
import type { HostReader, PageCursor } from "../host.ts";
import { HostError } from "../host.ts";
import { type Page, paginate, repeatedCursor } from "../paginate.ts";
import { hasSnapshotFiles, type MessageHome, normaliseMessage } from "./normalise-message.ts";
import { normaliseSession } from "./normalise-session.ts";
import type { SessionApi } from "./session-api.ts";

const SESSIONS_A_PAGE = 200;
/** The host refuses more than 200 messages a page. */
const MOST_MESSAGES_A_PAGE = 200;
const REMEMBERED_DIRECTORIES = 4096;

export function createReader(api: SessionApi, log: Logger): HostReader {
  /** Where sessions are, for the relative paths in their messages. */
  const directories = new Map<string, string>();

  const noted = (given: unknown): Session | null => {
    const found = normaliseSession(given);
    if (found === null) return null;
    directories.delete(found.id);
    directories.set(found.id, found.directory);
    const [oldest] = directories.keys();
    if (directories.size > REMEMBERED_DIRECTORIES && oldest !== undefined) directories.delete(oldest);
    return found;
  };

  async function session(sessionId: string, signal: AbortSignal): Promise<Session | null> {
    const answer = await asked(() => api.session(sessionId, signal), signal);
    if (answer === null) return null;
    const found = noted(unwrapped(answer));
    if (found === null) throw new HostError("bad-response", `OpenCode's answer for ${sessionId} has no session id.`);
    return found;
  }

  /** Asks for the session only when some message has paths that need it. */
  async function homeOf(sessionId: string, items: readonly unknown[], signal: AbortSignal): Promise<MessageHome> {
    const known = directories.get(sessionId);
    if (known !== undefined) return { sessionId, directory: known };
    if (!items.some((item) => hasSnapshotFiles(item))) return { sessionId, directory: "" };
    return { sessionId, directory: (await session(sessionId, signal))?.directory ?? "" };
  }

  async function messagesOf(sessionId: string, items: readonly unknown[], signal: AbortSignal): Promise<Message[]> {
    const home = await homeOf(sessionId, items, signal);
    return withIds(
      items.map((item) => normaliseMessage(item, home)),
      `messages of ${sessionId}`,
    );
  }

  /** One item without an id must not cost the page its others: it is left out, and said. */
  function withIds<Item>(items: readonly (Item | null)[], what: string): Item[] {
    const sound = items.filter((item): item is Item => item !== null);
    if (sound.length < items.length)
      log.warn("Left out items without an id", { what, dropped: items.length - sound.length });
    return sound;
  }

  return {
    session,

    async *sessions(signal) {
      const what = "the list of sessions";
      const fetchPage = async (cursor: PageCursor | null): Promise<Page<Session, PageCursor>> => {
        const answer = await asked(() => api.sessions({ limit: SESSIONS_A_PAGE, cursor }, signal), signal);
        const { items, next } = readPage(answer, what);
        return {
          items: withIds(
            items.map((item) => noted(item)),
            what,
          ),
          next,
        };
      };
      yield* paginate(what, fetchPage, signal);
    },

    async messages(sessionId, { before, limit }, signal) {
      const page = { limit: Math.min(Math.max(Math.trunc(limit), 1), MOST_MESSAGES_A_PAGE), cursor: before };
      const answer = await asked(() => api.messages(sessionId, page, signal), signal);
      if (answer === null) return null;
      const what = `the messages of ${sessionId}`;
      const { items, next } = readPage(answer, what);
      if (next !== null && next === before) throw repeatedCursor(what, next);
      // The newest come first.
      return { messages: await messagesOf(sessionId, items.toReversed(), signal), older: next };
    },

    async message(sessionId, messageId, signal) {
      const answer = await asked(() => api.message(sessionId, messageId, signal), signal);
      if (answer === null) return null;
      const [message] = await messagesOf(sessionId, [unwrapped(answer)], signal);
      if (message === undefined) {
        throw new HostError("bad-response", `OpenCode's answer for ${messageId} has no message id.`);
      }
      return message;
    },

    // Cursors are opaque here.
    cursorBefore: () => null,
  };
}

/** Whatever an API rejects with comes out as a HostError, or as the reason of the abort. */
async function asked(ask: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  try {
    return await ask();
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof HostError) throw cause;
    throw new HostError("rejected", `OpenCode refused: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** The HTTP API wraps single items as `{data}`; the context's methods give them bare. */
function unwrapped(answer: unknown): unknown {
  const fields = fieldsOf(answer);
  return nameOf(fields["id"]) === null && isFields(fields["data"]) ? fields["data"] : answer;
}

/** A page is `{data, cursor: {next}}`. The last page that holds anything names a next one too: an empty page is the end. */
function readPage(answer: unknown, what: string): Page<unknown, PageCursor> {
  const { data, cursor } = fieldsOf(answer);
  if (!Array.isArray(data)) throw new HostError("bad-response", `OpenCode's answer for ${what} holds no list.`);
  return { items: data, next: data.length === 0 ? null : pageCursor(fieldsOf(cursor)["next"]) };
}

function pageCursor(given: unknown): PageCursor | null {
  const name = nameOf(given);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the brand is given here, where cursors come in
  return name === null ? null : (name as PageCursor);
}
