/**
 * Torture process: one of several that write and search one index until they are told to stop, or killed.
 *
 * Arguments: folder of the index, folder of the world, own name. It owns the sessions of its name: it moves them on,
 * deletes them, makes new ones, and refreshes everybody's.
 */

import { systemClock } from "../../src/runtime/clock.ts";
import { type LogFields, type Logger, silentLogger } from "../../src/runtime/logger.ts";
import { openSearchIndex, type SearchIndex } from "../../src/search-index/search-index.ts";
import { messageDigest } from "../../src/session/fingerprint.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { sql } from "../../src/sqlite/sql.ts";
import { messagesAt, sessionAt, tortureWorld } from "./torture-world.ts";

/** What it tells its parent. */
export type TortureReport =
  | { readonly type: "opened"; readonly path: string | null; readonly troubles: readonly string[] }
  | { readonly type: "stopped"; readonly operations: number }
  | { readonly type: "failed"; readonly reason: string };

const [directory = "", worldDirectory = "", name = ""] = process.argv.slice(2);
const world = tortureWorld(worldDirectory);
const OWN_SESSIONS = 4;
const stopping = new AbortController();

function report(message: TortureReport): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

function oneOf<T>(items: readonly T[]): T | undefined {
  return items[Math.floor(Math.random() * items.length)];
}

/** As sync does it: the stamp is taken before the host is asked. */
async function refresh(index: SearchIndex, id: string): Promise<void> {
  const listed = world.version(id);
  if (listed === null) return index.remove(id, Date.now());
  const opened = await index.open(sessionAt(id, listed));
  const fetched = world.version(id);
  if (fetched === null) return index.remove(id, Date.now());
  if (opened === null) return undefined;
  const messages = messagesAt(id, fetched);
  const stored = await opened.digests(messages.map((message) => message.id));
  const changed = messages
    .map((message) => ({ message, digest: messageDigest(message) }))
    .filter(({ message, digest }) => stored.get(message.id) !== digest);
  await opened.put(changed);
  await opened.finish(new Set(messages.map((message) => message.id)));
}

async function change(index: SearchIndex): Promise<void> {
  const own = world.ids().filter((id) => id.startsWith(`${name}-`));
  if (own.length < OWN_SESSIONS) {
    const id = `${name}-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;
    world.write(id, 1);
    return refresh(index, id);
  }
  const id = oneOf(own) ?? "";
  if (Math.random() < 0.15) world.remove(id);
  else world.write(id, (world.version(id) ?? 0) + 1);
  return refresh(index, id);
}

/** A search sees one state: every posting's document is there, whoever writes meanwhile. */
async function search(index: SearchIndex): Promise<void> {
  const database = index.beginRead();
  try {
    const held = database.all(sql`SELECT rowid FROM postings WHERE postings MATCH ${'"wor" AND "ord"'}`);
    await new Promise((resolve) => setImmediate(resolve));
    const ids = JSON.stringify(held.map((row) => row["rowid"]));
    const found = database.all(
      sql`SELECT text FROM json_each(${ids}) AS asked JOIN documents ON documents.id = asked.value`,
    );
    if (found.length !== held.length) throw new Error(`Of ${held.length} documents ${found.length} are there.`);
    const wrong = found.find((row) => !String(row["text"]).includes("wor"));
    if (wrong !== undefined) throw new Error(`Found for "wor": ${String(wrong["text"]).slice(0, 50)}`);
  } finally {
    index.endRead();
  }
}

/** Whatever the index finds worth a word should not have happened: nothing here damages a file. */
const log: Logger = { ...silentLogger, info: complain, warn: complain, error: complain };

function complain(message: string, fields?: LogFields): void {
  void report({ type: "failed", reason: `${message} ${JSON.stringify(fields)}` });
}

async function run(): Promise<void> {
  const options = { directory, driver: await loadDriver(), clock: systemClock, log, patienceMs: 30_000 };
  const index = await openSearchIndex(options);
  await report({ type: "opened", path: index.path, troubles: index.coverage().troubles });
  let operations = 0;
  for (; !stopping.signal.aborted; operations += 1) {
    const dice = Math.random();
    if (dice < 0.4) await change(index);
    else if (dice < 0.7) await refresh(index, oneOf(world.ids()) ?? `${name}-none`);
    else await search(index);
  }
  await index.close();
  await report({ type: "stopped", operations });
}

process.on("message", () => stopping.abort());
// The index's waits do not keep a process alive: in a host, the host does.
const alive = setInterval(() => {}, 1000);
run()
  .catch((error: unknown) =>
    report({ type: "failed", reason: error instanceof Error ? String(error.stack) : String(error) }),
  )
  .finally(() => {
    clearInterval(alive);
    process.disconnect();
  });
