/** Stage of a real OpenCode 1.18, with the plugin as it is built or installed. */

import { type Conversation, converse } from "../support/conversation.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import type { RealHost } from "../support/real-host.ts";
import { createSandbox } from "../support/sandbox.ts";
import { scenarioConfig } from "../support/scenarios.ts";
import type { ScriptedProvider } from "../support/scripted-provider.ts";
import type { Stage } from "./scenario.ts";

export interface Real1Stage extends Stage {
  readonly conversation: Conversation;
  readonly host: RealHost;
  readonly provider: ScriptedProvider;
}

export async function createReal1Stage(): Promise<Real1Stage> {
  const sandbox = await createSandbox();
  try {
    // Snapshots double the cost of a turn; no scenario asks for a file back.
    const config = { ...scenarioConfig, snapshot: false };
    sandbox.configure({ plugins: [pluginUnderTest(sandbox.root)], config });
    const directory = sandbox.project("shop");
    const host = await sandbox.serve(directory);
    return {
      host,
      provider: sandbox.provider,
      name: "a real OpenCode 1.18",
      conversation: converse(host, sandbox.provider),
      directory,
      script: (prompt, steps) => sandbox.provider.script(prompt, steps),
      dispose: () => sandbox.dispose(),
    };
  } catch (error) {
    await sandbox.dispose();
    throw error;
  }
}
