import { rm } from "node:fs/promises";

import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";

import { fullPass, Harness } from "../archive/harness.ts";
import { requestOf } from "../cases/told-history.ts";
import { disagreements } from "../search-index/agreement.ts";
import { HistoryIndex } from "../search/history-index.ts";
import { assistantMessage, toolPart } from "../support/builders.ts";
import { MANY_CASES } from "../support/test-size.ts";
import { hold } from "./hold.ts";
import { nested } from "./mutations.ts";
import { type ReadSession, readSessions } from "./payloads.ts";

const RUNS = { bounded: 40, full: 2000 };

let history: HistoryIndex;
let harness: Harness;
beforeEach(async () => {
  history = await HistoryIndex.open();
  harness = await Harness.make();
});
afterEach(async () => {
  await history.close();
  await harness.dispose();
});

const QUERIES = ["", "is:subagent", "is:error", "path:a.ts", "tool:bash OR word", '"t1"', "-x title:long"];

test(
  "whatever a host answers, the index keeps it, agrees with itself, and is up to date with it",
  MANY_CASES,
  async () => {
    await hold(
      fc.asyncProperty(readSessions("/w/app"), async (sessions) => {
        await history.hold(sessions);
        expect(await history.index.outdated(sessions.map(({ session }) => session))).toEqual(new Set());
        for (const query of QUERIES) {
          const request = requestOf(`project:all ${query}`);
          const found = await history.search.searchMessages(request);
          expect((await history.scan.searchMessages(request)).hits).toEqual(found.hits);
          expect((await history.search.searchEdits(request)).hits.length).toBeLessThanOrEqual(request.limit);
        }
        expect(disagreements(history.index.readConnection())).toEqual([]);
      }),
      RUNS,
    );
  },
);

async function archived(sessions: readonly ReadSession[]): Promise<Map<string, string>> {
  const archive = harness.open();
  for (const { session, messages } of sessions) await fullPass(archive, session, messages);
  await archive.flush();
  await archive.dispose();
  const names = (await harness.names()).filter((name) => name.endsWith(".json"));
  return new Map(await Promise.all(names.map(async (name) => [name, await harness.text(name)] as const)));
}

test("whatever a host answers, the archive is sound JSON, and a second pass changes nothing", MANY_CASES, async () => {
  await hold(
    fc.asyncProperty(readSessions(harness.root), async (sessions) => {
      const files = await archived(sessions);
      expect([...files.keys()].filter((name) => name !== "index.json").length).toBe(sessions.length);
      const held = [...files].map(([, text]): { _id?: string; turns?: { messageId: string }[] } => JSON.parse(text));
      for (const { session, messages } of sessions) {
        const file = held.find(({ _id: id }) => id === session.id);
        expect(file?.turns?.map(({ messageId }) => messageId)).toEqual(messages.map(({ id }) => id));
      }
      expect([...files.values()].filter((text) => /\p{Surrogate}|\0/u.test(text))).toEqual([]);
      const restarted = harness.open();
      expect(await restarted.outdated(sessions.map(({ session }) => session))).toEqual(new Set());
      await restarted.dispose();
      expect(await archived(sessions)).toEqual(files);
      await rm(harness.folder, { recursive: true });
    }),
    RUNS,
  );
});

test.each([59, 61, 5000, 200_000])(
  "a call whose input is nested %i deep is archived with all around it",
  async (depth) => {
    const input = { before: "first", deep: nested(depth), after: "last" };
    const session = harness.session();
    const files = await archived([{ session, messages: [assistantMessage("msg_1", [toolPart("bash", input)])] }]);
    const text = files.get("ses_1.json") ?? "";
    expect(JSON.parse(text)).toMatchObject({ turns: [{ parts: [{ toolInput: { before: "first", after: "last" } }] }] });
  },
);
