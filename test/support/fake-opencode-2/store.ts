/** Store: sessions and messages of a fake OpenCode 2.x, in the shapes of its wire (§4), in memory. */

export type Json = Readonly<Record<string, unknown>>;

export interface StoredSession {
  readonly id: string;
  readonly projectID: string;
  readonly parentID?: string;
  readonly fork?: Json;
  readonly title?: string;
  readonly location: { readonly directory: string };
  readonly cost: number;
  readonly tokens: Json;
  readonly outcome?: string;
  readonly time: {
    readonly created: number;
    readonly updated: number;
    readonly idle?: number;
    readonly archived?: number;
  };
  readonly revert?: Json;
}

export interface StoredMessage {
  readonly id: string;
  readonly type: string;
  readonly time: { readonly created: number; readonly completed?: number };
  readonly [field: string]: unknown;
}

export interface Store {
  /** Newest last. */
  readonly sessions: ReadonlyMap<string, StoredSession>;
  /** By their sequence (§5: "sorted by seq"). */
  messages(sessionId: string): readonly StoredMessage[];
  putSession(session: StoredSession): void;
  /** Replaces a message of the same id in its place, or adds it at the end. */
  putMessage(sessionId: string, message: StoredMessage): void;
  /** Drops a message and all after it. */
  cutMessages(sessionId: string, fromMessageId: string): void;
  /** Removes a session with its children (§4); returns the removed ids, parents first. */
  removeSession(sessionId: string): readonly string[];
}

export function createStore(): Store {
  const sessions = new Map<string, StoredSession>();
  const messages = new Map<string, StoredMessage[]>();
  const listOf = (sessionId: string): StoredMessage[] => {
    const list = messages.get(sessionId) ?? [];
    messages.set(sessionId, list);
    return list;
  };
  const removeSession = (sessionId: string): string[] => {
    if (!sessions.delete(sessionId)) return [];
    messages.delete(sessionId);
    const children = [...sessions.values()].filter((session) => session.parentID === sessionId);
    return [sessionId, ...children.flatMap((child) => removeSession(child.id))];
  };
  return {
    sessions,
    messages: (sessionId) => messages.get(sessionId) ?? [],
    putSession: (session) => void sessions.set(session.id, session),
    putMessage(sessionId, message) {
      const list = listOf(sessionId);
      const place = list.findIndex(({ id }) => id === message.id);
      if (place === -1) list.push(message);
      else list[place] = message;
    },
    cutMessages(sessionId, fromMessageId) {
      const list = listOf(sessionId);
      const place = list.findIndex(({ id }) => id === fromMessageId);
      if (place !== -1) list.splice(place);
    },
    removeSession,
  };
}
