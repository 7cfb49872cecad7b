import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { SearchIndex } from "../../src/search-index/search-index.ts";
import { sql } from "../../src/sqlite/sql.ts";
import { type BundledProcess, bundleProcess } from "../support/bundled-process.ts";
import { isFullSize } from "../support/test-size.ts";
import { disagreements } from "./agreement.ts";
import { openTestIndex, removeFolder, rows, store, temporaryFolder, textsOf } from "./opened-index.ts";
import type { TortureReport } from "./torture-process.ts";
import { messagesAt, sessionAt, tortureWorld } from "./torture-world.ts";

const ROUNDS = isFullSize() ? 100 : 5;
const PROCESSES = 8;
const KILLED = 4;
/** Milliseconds in which a round's victims die. */
const ROUND_MS = 600;
/** On a machine that does much else, starting eight processes takes a while. */
const TIMEOUT_MS = 30_000 + ROUNDS * 30_000;

let bundled: BundledProcess;
let directory = "";
beforeAll(async () => {
  bundled = await bundleProcess(join(import.meta.dirname, "torture-process.ts"));
  directory = temporaryFolder();
  mkdirSync(join(directory, "world"));
}, 60_000);
const all: Worker[] = [];
afterAll(async () => {
  await Promise.all(all.map((worker) => worker.kill()));
  bundled.remove();
  removeFolder(directory);
});

class Worker {
  readonly #child: ChildProcess;
  readonly #reports: TortureReport[] = [];
  readonly #errors: string[] = [];
  readonly #exited: Promise<void>;
  readonly opened: Promise<TortureReport>;

  constructor(name: string) {
    this.#child = fork(bundled.path, [join(directory, "index"), join(directory, "world"), name], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: unknown) => this.#errors.push(String(chunk)));
    }
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
    });
    this.opened = new Promise((resolve) => {
      this.#child.on("message", (message: TortureReport) => {
        this.#reports.push(message);
        resolve(message);
      });
    });
  }

  /** What went wrong, in its own words. */
  get complaints(): string[] {
    const failures = this.#reports.flatMap((report) => (report.type === "failed" ? [report.reason] : []));
    return [...failures, ...this.#errors];
  }

  /** How many things it did before it stopped; 0 for one that was killed. */
  get operations(): number {
    return this.#reports.reduce((sum, report) => sum + (report.type === "stopped" ? report.operations : 0), 0);
  }

  /** At once; nothing happens to one that has ended. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.send("stop");
    await this.#exited;
  }
}

async function killSome(workers: Worker[]): Promise<Worker[]> {
  const victims = Array.from(workers.keys())
    .sort(() => Math.random() - 0.5)
    .slice(0, KILLED);
  const killed: Worker[] = [];
  await Promise.all(
    victims.map(async (victim) => {
      await delay(Math.random() * ROUND_MS);
      const worker = workers[victim];
      if (worker === undefined) return;
      await worker.kill();
      killed.push(worker);
      workers[victim] = new Worker(`w${victim}`);
    }),
  );
  return killed;
}

/** Brings the index up to the world as backfill does, and checks on the way that nothing stored was lost. */
async function settle(index: SearchIndex): Promise<void> {
  const world = tortureWorld(join(directory, "world"));
  const living = world.ids().map((id) => sessionAt(id, world.version(id) ?? 0));
  for (const session of living) {
    const version = world.version(session.id) ?? 0;
    if ((await index.outdated([session])).size > 0) await store(index, session, messagesAt(session.id, version));
  }
  const stored = rows(index, sql`SELECT id FROM sessions WHERE removed_at IS NULL`).map((row) => String(row["id"]));
  // A process killed between the host's deletion and ours leaves the session; the next one asks the host and removes it.
  for (const id of stored) if (world.version(id) === null) await index.remove(id, Date.now());
}

describe("eight processes on one index, four of them killed at random in each round", () => {
  it(
    `opens each time, loses nothing, brings nothing back, and agrees with itself (${ROUNDS} rounds)`,
    async () => {
      const world = tortureWorld(join(directory, "world"));
      const workers = Array.from({ length: PROCESSES }, (_, n) => new Worker(`w${n}`));
      all.push(...workers);
      for (let round = 0; round < ROUNDS; round += 1) {
        const opened = await Promise.all(workers.map((worker) => worker.opened));
        for (const report of opened) {
          expect(report).toEqual({ type: "opened", path: join(directory, "index", "index-v1.sqlite"), troubles: [] });
        }
        const killed = await killSome(workers);
        all.push(...workers.filter((worker) => !all.includes(worker)));
        expect(killed.flatMap((worker) => worker.complaints)).toEqual([]);
      }
      await Promise.all(workers.map((worker) => worker.opened));
      await Promise.all(workers.map((worker) => worker.stop()));
      expect(all.flatMap((worker) => worker.complaints)).toEqual([]);
      expect(workers.reduce((sum, worker) => sum + worker.operations, 0)).toBeGreaterThan(PROCESSES);

      const index = await openTestIndex(join(directory, "index"));
      await index.outdated([]);
      expect(disagreements(index.readConnection())).toEqual([]);
      await settle(index);
      expect(disagreements(index.readConnection())).toEqual([]);
      const stored = rows(index, sql`SELECT id FROM sessions WHERE removed_at IS NULL ORDER BY id`);
      expect(stored.map((row) => row["id"])).toEqual(world.ids());
      for (const id of world.ids()) {
        const version = world.version(id) ?? 0;
        const texts = textsOf(index, id);
        expect(texts["title"]).toBe(sessionAt(id, version).title);
        const whole = Object.keys(texts).filter((name) => name !== "title" && !name.includes("#"));
        expect(whole.sort()).toEqual(
          messagesAt(id, version)
            .map((message) => message.id)
            .sort(),
        );
      }
      await index.close();
    },
    TIMEOUT_MS,
  );
});
