import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

import * as fc from "fast-check";
import { expect, test } from "vitest";

import { systemClock } from "../../src/runtime/clock.ts";
import type { SearchIndex } from "../../src/search-index/search-index.ts";
import { createHistorySearch } from "../../src/search/history-search.ts";
import type { Session } from "../../src/session/session.ts";
import { SqliteError } from "../../src/sqlite/database.ts";
import { requestOf } from "../cases/told-history.ts";
import { openTestIndex, removeFolder, store, temporaryFolder } from "../search-index/opened-index.ts";
import { buildConversation, buildSession } from "../support/builders.ts";
import { MANY_CASES } from "../support/test-size.ts";
import { hold } from "./hold.ts";

interface Damage {
  readonly file: "" | "-wal";
  /** Where, in thousandths of the file. */
  readonly at: number;
  /** What is written there; null cuts the file off. */
  readonly bytes: Buffer | null;
}

function damages(): fc.Arbitrary<readonly Damage[]> {
  const damage = fc.record({
    file: fc.constantFrom("" as const, "" as const, "-wal" as const),
    at: fc.nat({ max: 999 }),
    bytes: fc.constantFrom(
      Buffer.alloc(16),
      Buffer.alloc(4096),
      Buffer.alloc(4096, "garbage "),
      Buffer.from([0xff]),
      null,
    ),
  });
  return fc.array(damage, { minLength: 1, maxLength: 3 });
}

function inflict(path: string, { file, at, bytes }: Damage): void {
  const damaged = `${path}${file}`;
  if (!existsSync(damaged)) return;
  const content = readFileSync(damaged);
  const place = Math.floor((content.length * at) / 1000);
  bytes?.copy(content, place);
  writeFileSync(damaged, bytes === null ? content.subarray(0, place) : content);
}

const SESSIONS = Array.from({ length: 6 }, (_, place) => buildSession({ id: `ses_${place}`, title: `title ${place}` }));
const text = (session: Session) => (index: number) => `needle ${session.id} ${index} ${"filler ".repeat(60)}`;

async function fill(index: SearchIndex, sessions: readonly Session[]): Promise<void> {
  for (const session of sessions) {
    await store(index, session, buildConversation(session.id, 30, { text: text(session) }));
  }
}

async function find(index: SearchIndex, query: string): Promise<number> {
  const search = createHistorySearch({ index, clock: systemClock });
  return (await search.searchMessages(requestOf(query))).hits.length;
}

/** What sync does: whatever fails for the index is tried again. */
async function untilItWorks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isExpected = error instanceof SqliteError || (error instanceof Error && error.name === "IndexRebuiltError");
      if (!isExpected || attempt >= 8) throw error;
      await delay(10 * 2 ** attempt);
    }
  }
}

test("however its file is damaged, the index takes and finds new sessions, in a few attempts", MANY_CASES, async () => {
  await hold(
    fc.asyncProperty(damages(), fc.boolean(), async (all, isOpen) => {
      const directory = temporaryFolder();
      let index = await openTestIndex(directory);
      try {
        await fill(index, SESSIONS);
        const { path } = index;
        if (!isOpen) await index.close();
        for (const damage of all) inflict(path ?? "", damage);
        if (!isOpen) index = await openTestIndex(directory);
        // Bytes changed within a text are nothing SQLite could notice; all else is, when it is read or written.
        expect(await untilItWorks(() => find(index, "needle filler"))).toBeLessThanOrEqual(SESSIONS.length);
        const found = await untilItWorks(async () => {
          await fill(index, SESSIONS);
          await fill(index, [buildSession({ id: "ses_new", title: "told afterwards" })]);
          return find(index, "needle ses_new 29");
        });
        expect(found).toBe(1);
      } finally {
        await index.close();
        removeFolder(directory);
      }
    }),
    { bounded: 20, full: 1000 },
  );
});
