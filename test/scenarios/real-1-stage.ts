/** Stage of a real OpenCode 1.18, with the plugin as it is built or installed. */

import { converse } from "../support/conversation.ts";
import { pluginUnderTest } from "../support/plugin-under-test.ts";
import { createSandbox } from "../support/sandbox.ts";
import { scenarioConfig } from "../support/scenarios.ts";
import type { Stage } from "./scenario.ts";

export async function createReal1Stage(): Promise<Stage> {
  const sandbox = await createSandbox();
  try {
    sandbox.configure({ plugins: [pluginUnderTest(sandbox.root)], config: scenarioConfig });
    const directory = sandbox.project("shop");
    const host = await sandbox.serve(directory);
    return {
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
