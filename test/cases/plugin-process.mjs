// Loads the built plugin from argv[2] and lets it live for a moment in a host that answers as argv[3] says. Prints one
// line of JSON; whatever else appears on stdout or stderr is the plugin's.
import { setTimeout as delay } from "node:timers/promises";

const [entry, host = "none"] = process.argv.slice(2);
const { default: plugin } = await import(entry);

const answers = {
  // Calls that never come back.
  silent: () => new Promise(() => undefined),
  failing: () => Promise.reject(new Error("HTTP 500")),
  garbage: () => Promise.resolve({ data: "<html>", response: new Response("<html>", { status: 200 }) }),
  throwing() {
    throw new TypeError("client is gone");
  },
};

async function live() {
  const answer = answers[host];
  const client = { _client: { get: answer }, app: { log: answer }, tui: { showToast: answer } };
  const hooks = await plugin.server({ client, project: { id: "p" }, directory: "/w", worktree: "/" }, { archive: 7 });
  await hooks.config({});
  for (const event of [
    null,
    3,
    {},
    { type: "session.idle" },
    { type: "session.error", properties: { sessionID: "s" } },
  ]) {
    await hooks.event({ event });
  }
  await delay(500);
  const tools = Object.values(hooks.tool);
  const calls = tools.flatMap((tool) =>
    [null, "x", { query: 3 }, { query: "a", sessionID: "ses_1" }].map((args) => tool.execute(args, {})),
  );
  const outcomes = await Promise.race([Promise.allSettled(calls), delay(1000).then(() => [])]);
  await Promise.race([hooks.dispose(), delay(1000)]);
  return { tools: Object.keys(hooks.tool).length, answered: outcomes.length };
}

const lived = host === "none" ? null : await live();
process.stdout.write(
  JSON.stringify({ id: plugin.id, server: typeof plugin.server, setup: typeof plugin.setup, lived }),
);
process.exit(0);
