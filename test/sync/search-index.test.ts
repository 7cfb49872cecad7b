/** Sync with the index it feeds in the product: what the two promise each other, on a real file. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, describe, expect, it, vi } from "vitest";

import type { SearchIndex } from "../../src/search-index/search-index.ts";
import { openSearchIndex } from "../../src/search-index/search-index.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { sql } from "../../src/sqlite/sql.ts";
import { createSync } from "../../src/sync/sync.ts";
import { buildConversation, buildSession, userMessage } from "../support/builders.ts";
import { FakeClock } from "../support/fake-clock.ts";
import type { FakeStore } from "../support/fake-host.ts";
import { FakeHost } from "../support/fake-host.ts";

const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const clean of cleanUp.splice(0)) await clean();
});

/** One process: its own connection to the index of a folder, its own sync, a host on a shared store. */
async function startProcess(directory: string, store?: FakeStore, clock = new FakeClock(), latencyMs = 10) {
  const index = await openSearchIndex({ directory, driver: await loadDriver(), clock, log: silentLogger });
  const host = new FakeHost({ clock, latencyMs }, store);
  const sync = createSync({ clock });
  const attachment = sync.attach(host, [index]);
  cleanUp.push(async () => {
    await sync.stop();
    await index.close();
  });
  return { clock, index, host, store: host.store, sync, attachment };
}

function makeFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), "history-sync-"));
  cleanUp.push(async () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function rows(index: SearchIndex, sessionId: string) {
  const database = index.readConnection();
  const session = database.all(sql`SELECT key, complete, title, removed_at FROM sessions WHERE id = ${sessionId}`)[0];
  if (session === undefined || session["removed_at"] !== null) return null;
  const messages = database
    .all(sql`SELECT message_id FROM documents WHERE session_key = ${session["key"] ?? null} AND message_id <> ''`)
    .map((row) => String(row["message_id"]));
  return { title: session["title"], complete: session["complete"] === 1, messages: messages.length };
}

describe("sync into the index", () => {
  it("stores all sessions, and finds nothing to do when started again", async () => {
    const directory = makeFolder();
    const first = await startProcess(directory);
    for (const id of ["ses_1", "ses_2", "ses_3"])
      first.store.putSession(buildSession({ id }), buildConversation(id, 60));
    await first.clock.advance(20_000);
    for (const id of ["ses_1", "ses_2", "ses_3"]) {
      expect(rows(first.index, id)).toEqual({ title: "Fix the login", complete: true, messages: 60 });
    }
    await first.sync.stop();
    await first.index.close();
    const second = await startProcess(directory, first.store);
    await second.clock.advance(20_000);
    expect(second.host.calls.map(({ method }) => method)).toEqual(["sessions"]);
    expect(second.sync.progress()).toMatchObject({ sessionsKnown: 3, sessionsLeft: 0, first: "done" });
  });

  it("follows a deletion during a full pass, in one process and in two", async () => {
    const directory = makeFolder();
    const clock = new FakeClock();
    const one = await startProcess(directory, undefined, clock);
    const other = await startProcess(directory, one.store, clock);
    one.store.putSession(buildSession(), buildConversation("ses_1", 2000));
    await clock.advance(900);
    one.store.deleteSession("ses_1");
    one.attachment.onEvent({ type: "session-deleted", sessionId: "ses_1", at: clock.now() });
    await clock.advance(60_000);
    expect(rows(one.index, "ses_1")).toBeNull();
    expect(rows(other.index, "ses_1")).toBeNull();
  });

  it("completes a long session though events keep coming while it is read", async () => {
    const { clock, store, index, attachment } = await startProcess(makeFolder(), undefined, undefined, 100);
    store.putSession(buildSession(), buildConversation("ses_1", 800));
    for (let second = 0; second < 12; second += 1) {
      store.putMessage(userMessage(`msg_new_${second}`, `more ${second}`, { createdAt: clock.now() }));
      attachment.onEvent({ type: "message-changed", sessionId: "ses_1", messageId: `msg_new_${second}` });
      await clock.advance(1000);
    }
    expect(rows(index, "ses_1")).toMatchObject({ title: "Fix the login", complete: true });
    // The last messages may fall to a second full pass; and the disk, unlike the clock, takes the time it takes.
    await vi.waitFor(async () => {
      await clock.advance(1000);
      expect(rows(index, "ses_1")).toEqual({ title: "Fix the login", complete: true, messages: 812 });
    }, 20_000);
  });

  it("lets two processes with clocks an hour apart follow one session", async () => {
    const directory = makeFolder();
    const one = await startProcess(directory);
    const other = await startProcess(directory, one.store);
    other.clock.jump(-3_600_000);
    one.store.putSession(buildSession(), buildConversation("ses_1", 20));
    await one.clock.advance(5000);
    await other.clock.advance(5000);
    for (let round = 0; round < 6; round += 1) {
      const { clock, attachment } = round % 2 === 0 ? one : other;
      one.store.changeSession("ses_1", { title: `Title ${round}` });
      one.store.putMessage(userMessage(`msg_${round}`, `round ${round}`, { createdAt: one.clock.now() + round }));
      attachment.onEvent({ type: "message-changed", sessionId: "ses_1", messageId: `msg_${round}` });
      await clock.advance(1500);
      expect(rows(one.index, "ses_1")).toEqual({ title: `Title ${round}`, complete: true, messages: 21 + round });
    }
  });
});
