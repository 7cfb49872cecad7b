/** Plugin context: what a fake OpenCode 2.x hands to `setup`, with the keys of 2.0.26 (§2.1), and of July 2026. */

import { fieldsOf, textOf } from "../../../src/host/fields.ts";
import type { EventBus } from "./event-bus.ts";
import { messagePage, Refusal, sessionPage } from "./pages.ts";
import type { Json, Store } from "./store.ts";
import type { ToolBox, Transform } from "./tool-box.ts";

export interface FakeLocation {
  readonly directory: string;
  readonly project: { readonly id: string; readonly directory: string; readonly canonical: string };
}

export interface ContextParts {
  readonly version: string;
  readonly channel: string;
  readonly location: FakeLocation;
  readonly options: Json;
  readonly bus: EventBus;
  readonly store: Store;
  readonly tools: ToolBox;
}

/** Domains that are there, but of no use to a history: their presence is what matters. */
const OTHER_DOMAINS = [
  "agent",
  "aisdk",
  "command",
  "experimental",
  "integration",
  "mcp",
  "model",
  "generate",
  "plugin",
  "provider",
  "reference",
  "shell",
  "skill",
  "vcs",
  "websearch",
  "worktree",
] as const;

export function createPluginContext(parts: ContextParts): Json {
  const { version, channel, location, options, bus, store, tools } = parts;
  return {
    ...Object.fromEntries(OTHER_DOMAINS.map((name) => [name, {}])),
    app: { name: "opencode", version, channel },
    location,
    options,
    event: { subscribe: (given?: { signal?: AbortSignal }) => bus.subscribe(given) },
    permission: { list: async () => [], get: async () => null, reply: async () => {}, hook: () => {} },
    rpc: Object.assign(() => ({}), { register: async () => ({ dispose: async () => {} }) }),
    // §2.5: never list, messages, message.get, children.
    session: { ...sessionDomain(store), hook: () => {} },
    storage: {
      get: async () => null,
      set: async () => {},
      remove: async () => {},
      scan: async () => ({ entries: [] }),
    },
    tool: {
      transform: (callback: Transform) => tools.transform(callback),
      reload: async () => tools.reload(),
      list: async () => tools.list(),
      hook: () => {},
    },
  };
}

/** The builds of July 2026: no app, location, storage or rpc; a poorer editor (§2.12, §2.13). */
export function createEarlyContext({ options, bus, store, tools }: ContextParts): Json {
  return {
    ...Object.fromEntries(
      ["agent", "aisdk", "catalog", "command", "integration", "reference", "skill"].map((name) => [name, {}]),
    ),
    options,
    event: { subscribe: (given?: { signal?: AbortSignal }) => bus.subscribe(given) },
    session: sessionDomain(store),
    tool: { transform: (callback: Transform) => tools.transform(callback) },
  };
}

/** What OpenCode 1.18 passes when it calls `setup` too. */
export function createPoorContext(options: Json): Json {
  const names = ["agent", "aisdk", "catalog", "command", "integration", "plugin", "reference", "skill"];
  return { options, ...Object.fromEntries(names.map((name) => [name, {}])) };
}

/**
 * The methods that a release after 2.0.26 may have (§2.5: an open pull request and a feature request), with the rules
 * of the HTTP API. No release is known to have them.
 */
export function createLaterMethods(store: Store): { readonly session: Json; readonly message: Json } {
  const domain = sessionDomain(store);
  const get = domain["get"];
  return {
    session: { ...domain, list: async (input: unknown) => sessionPage(store.sessions.values(), queryOf(input)) },
    message: {
      async list(input: unknown) {
        const sessionID = textOf(fieldsOf(input)["sessionID"]) ?? "";
        if (typeof get === "function") await Reflect.apply(get, domain, [{ sessionID }]);
        return messagePage(store.messages(sessionID), queryOf(input));
      },
      async get(input: unknown) {
        const { sessionID, messageID } = fieldsOf(input);
        const found = store.messages(textOf(sessionID) ?? "").find(({ id }) => id === messageID);
        if (found !== undefined) return found;
        throw new Refusal(404, "MessageNotFoundError", `Message not found: ${String(messageID)}`);
      },
    },
  };
}

function queryOf(input: unknown): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fieldsOf(input))) query.set(name, String(value));
  return query;
}

function sessionDomain(store: Store): Json {
  return {
    // §2.5: all take one input object; a bad input rejects.
    get: async (input: unknown, ...more: readonly unknown[]) => {
      const sessionID = typeof input === "object" && input !== null ? Reflect.get(input, "sessionID") : undefined;
      if (typeof sessionID !== "string" || more.length > 0) throw new TypeError("Expected one input with a sessionID");
      const session = store.sessions.get(sessionID);
      if (session === undefined) throw new Refusal(404, "SessionNotFoundError", `Session not found: ${sessionID}`);
      return session;
    },
    context: async () => [],
    create: async () => ({}),
    update: async () => ({}),
    remove: async () => {},
  };
}
