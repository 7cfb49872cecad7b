/** Conversation held in a fake OpenCode 2.x, through the same interface as one held in a real 1.18. */

import type { Conversation } from "../conversation.ts";
import type { HostState } from "./host-state.ts";
import { createPermissions } from "./permissions.ts";
import type { StoredSession } from "./store.ts";
import { holdTurn, type TurnTools } from "./turn.ts";

/** What a conversation with either host can do. */
export type SharedConversation = Omit<Conversation, "command">;

/**
 * @param directory where new sessions start
 * @param projectId of that directory
 */
export function createFakeConversation(state: HostState, directory: string, projectId: string): SharedConversation {
  const { store } = state;
  const permissions = createPermissions(state);
  const sessionOf = (sessionId: string): StoredSession => {
    const session = store.sessions.get(sessionId);
    if (session === undefined) throw new Error(`Session not found: ${sessionId}`);
    return session;
  };

  const createSession = (where: string, fields: Partial<StoredSession> = {}): StoredSession => {
    const at = state.now();
    const session: StoredSession = {
      id: state.id("ses"),
      projectID: projectId,
      location: { directory: where },
      cost: 0,
      tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      time: { created: at, updated: at },
      ...fields,
    };
    const { projectID, location, parentID, title } = session;
    state.change(session, "session.created", { projectID, location, parentID, title, slug: "slug", version: "2.0.26" });
    return session;
  };
  const tools: TurnTools = { state, permissions, createSession };

  const touch = (session: StoredSession, fields: Partial<StoredSession>): StoredSession => ({
    ...session,
    ...fields,
    time: { ...session.time, ...fields.time, updated: state.now() },
  });

  return {
    createSession: async () => createSession(directory).id,

    async say(prompt, steps, options = {}) {
      const { id } = options.sessionId === undefined ? createSession(directory) : sessionOf(options.sessionId);
      state.script(prompt, steps);
      const toolResults = await holdTurn(tools, id, prompt, { ...(options.parts && { files: options.parts }) });
      const session = sessionOf(id);
      // The title is written by a model after the first prompt.
      if (session.title === undefined) {
        const title = prompt.slice(0, 40);
        state.change(touch(session, { title }), "session.renamed", { title });
      }
      return { sessionId: id, reply: store.messages(id).findLast(({ type }) => type === "assistant"), toolResults };
    },

    messages: async (id) => store.messages(id),

    async revert(id, messageID) {
      state.change(touch(sessionOf(id), { revert: { messageID } }), "session.revert.staged", { revert: { messageID } });
    },

    async unrevert(id) {
      const { revert: _, ...session } = sessionOf(id);
      state.change(touch(session, {}), "session.revert.cleared");
    },

    async rename(id, title) {
      state.change(touch(sessionOf(id), { title }), "session.renamed", { title });
    },

    async archive(id, at) {
      const session = sessionOf(id);
      // No event of 2.0.26 is known to tell of it; the metadata event stands in for one.
      state.change({ ...session, time: { ...session.time, archived: at } }, "session.metadata.updated", {
        metadata: {},
      });
    },

    async fork(id) {
      const origin = sessionOf(id);
      const copy = createSession(directory, { fork: { sessionID: id }, title: `${origin.title ?? ""} (fork #1)` });
      for (const message of store.messages(id)) store.putMessage(copy.id, { ...message, id: state.id("msg") });
      state.emit(copy.id, "session.forked", { parentID: id, boundary: null });
      return copy.id;
    },

    async compact(id) {
      const messageId = state.id("msg");
      const summary = "A summary of what was said so far.";
      const base = { id: messageId, type: "compaction", reason: "manual", recent: "", time: { created: state.now() } };
      state.tell(id, { ...base, status: "running", summary: "" }, "session.compaction.started", { reason: "manual" });
      const done = { ...base, status: "completed", summary, model: { providerID: "scripted", id: "scripted" } };
      state.tell(id, done, "session.compaction.ended", { reason: "manual", text: summary, recent: "" });
    },

    async abort(id) {
      state.emit(id, "session.execution.interrupted", { reason: "user" });
    },

    async remove(id) {
      const { location } = sessionOf(id);
      for (const sessionID of store.removeSession(id)) {
        state.bus.publish("session.deleted", { sessionID }, location.directory);
      }
    },

    children: async (id) =>
      [...store.sessions.values()].filter(({ parentID }) => parentID === id).map((child) => child.id),

    answerPermission: (reply) => permissions.answer(reply),
  };
}
