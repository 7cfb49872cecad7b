/**
 * Fake OpenCode 2.x: the part of that host which this product meets, written from the fact sheet about its releases and
 * about as strict as they are. "§5" names the section of the sheet that a rule comes from.
 *
 * The HTTP API is a real server on loopback with a real registration file; plugins are set up in this process, as in the
 * real host, which runs them in its server's process.
 */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { Step } from "../step.ts";
import { type ApiServer, startApiServer } from "./api-server.ts";
import { createFakeConversation, type SharedConversation } from "./conversation.ts";
import { createHostState, type HostState } from "./host-state.ts";
import { createEarlyContext, createPluginContext, type FakeLocation } from "./plugin-context.ts";
import { type RegistrationContent, removeRegistration, writeRegistration } from "./registration-file.ts";
import type { Json } from "./store.ts";
import type { ToolBox } from "./tool-box.ts";

export interface FakeOptions {
  /** A folder for the state folder and the projects; the caller removes it. */
  readonly root: string;
  /** "2.0.26" when left out. */
  readonly version?: string;
  /** "latest" when left out. */
  readonly channel?: string;
  /** Whether the server registers itself at once, as only `serve --service` does (§6); yes when left out. */
  readonly registered?: boolean;
  /** A context and an editor as poor as those of July 2026. */
  readonly early?: boolean;
}

export interface FakeOpenCode2 {
  readonly state: HostState;
  readonly api: ApiServer;
  /** `$XDG_STATE_HOME/opencode`. */
  readonly stateFolder: string;
  /** Writes the registration file; other content where a test wants a wrong one. */
  register(content?: Partial<RegistrationContent>, name?: string): Promise<void>;
  unregister(): Promise<void>;
  /** Makes a folder of that name to work in: a project of its own, or one of `global` without git. */
  project(name: string, options?: { readonly git?: boolean }): Promise<FakeLocation>;
  /** The context of a plugin in a location; a new one for each plugin. */
  context(location: FakeLocation, options?: Json): Json;
  tools(location: FakeLocation): ToolBox;
  conversation(location: FakeLocation): SharedConversation;
  /** What the model answers to a prompt, for sub-agents: `say` scripts its own. */
  script(prompt: string, steps: readonly Step[]): void;
  stop(): Promise<void>;
}

const PASSWORD = "fake-service-password";
const FILE = "service.json";

export async function startFakeOpenCode2(options: FakeOptions): Promise<FakeOpenCode2> {
  const { root, version = "2.0.26", channel = "latest", registered = true, early = false } = options;
  const stateFolder = join(root, "state", "opencode");
  const state = createHostState({ early });
  const api = await startApiServer({ version, pid: process.pid, password: PASSWORD, store: state.store });
  const names = new Set<string>();

  const register = async (content: Partial<RegistrationContent> = {}, name = FILE): Promise<void> => {
    names.add(name);
    const honest = { id: "fake", version, url: api.url, pid: process.pid, password: PASSWORD };
    await writeRegistration(stateFolder, name, { ...honest, ...content });
  };
  const unregister = async (): Promise<void> => {
    for (const name of names) await removeRegistration(stateFolder, name);
  };
  if (registered) await register();

  return {
    state,
    api,
    stateFolder,
    register,
    unregister,
    async project(name, { git = true } = {}) {
      const directory = join(root, name);
      await mkdir(directory, { recursive: true });
      const canonical = git ? directory : "/";
      return { directory, project: { id: git ? `project-${name}` : "global", directory: canonical, canonical } };
    },
    context(location, given = {}) {
      const { bus, store } = state;
      const tools = state.toolBox(location.directory);
      const parts = { version, channel, location, options: given, bus, store, tools };
      return early ? createEarlyContext(parts) : createPluginContext(parts);
    },
    tools: (location) => state.toolBox(location.directory),
    conversation: (location) => createFakeConversation(state, location.directory, location.project.id),
    script: (prompt, steps) => state.script(prompt, steps),
    async stop() {
      state.bus.endStreams(null);
      await unregister();
      await api.close();
    },
  };
}
