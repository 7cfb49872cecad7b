/** What answers say between the loss of an index and the listing after it. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { createHistory } from "../src/history.ts";
import { buildConversation, buildSession } from "./support/builders.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { FakeHost } from "./support/fake-host.ts";
import { buildCall } from "./support/tools.ts";

const SESSIONS = 40;
/** Milliseconds in which the host lists them all, with its delay before. */
const LISTING_MS = 1500;
const REBUILDING = "index: being built again.";

function start() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rebuilt-index-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new FakeClock();
  const host = new FakeHost({ clock, latencyMs: ({ method }) => (method === "sessions" ? 250 : 40), listingPage: 10 });
  for (let place = 1; place <= SESSIONS; place += 1) {
    const id = `ses_${String(place).padStart(2, "0")}`;
    host.store.putSession(buildSession({ id }), buildConversation(id, 4, { text: () => "lighthouse" }));
  }
  const indexFolder = join(folder, "index");
  const instance = createHistory(clock).start(host, { indexDirectory: indexFolder, archive: false });
  onTestFinished(async () => {
    const disposed = instance.dispose();
    await clock.advance(10_000);
    await disposed;
  });
  const tool = instance.tools.find(({ name }) => name === "history-search-messages");
  if (tool === undefined) throw new Error("There is no search.");
  const search = () => tool.execute({ query: "lighthouse" }, buildCall());
  return { clock, host, instance, indexFolder, search };
}

type Started = ReturnType<typeof start>;

/** Searches many times a second until an answer holds all sessions again; before the loss is seen, the old file's do. */
async function answersWhileRebuilt({ clock, search }: Started): Promise<string[]> {
  const answers = [];
  for (let turn = 0; turn < 400; turn += 1) {
    const answer = await search();
    answers.push(answer);
    if (isWhole(answer) && answers.some((earlier) => earlier.includes(REBUILDING))) break;
    await clock.advance(40);
  }
  return answers;
}

const isWhole = (answer: string): boolean => answer.startsWith(`${SESSIONS} sessions`) && !answer.includes("index:");

const removeIndex = ({ indexFolder }: Started) => rmSync(indexFolder, { recursive: true });

/** What happens on a host at any time: here, it makes the index write. */
const somethingIsSaid = ({ host, instance }: Started) => {
  const session = host.store.changeSession("ses_01", { title: "Renamed" });
  instance.onEvent({ type: "session-changed", sessionId: session.id, session });
};

/** Lets time pass until a listing has come to its second page, which everything before it was compared for. */
async function reachSecondPage({ clock, host }: Started): Promise<void> {
  const before = host.calls.filter(({ method }) => method === "sessions").length;
  for (let turn = 0; turn < 1000; turn += 1) {
    if (host.calls.filter(({ method }) => method === "sessions").length > before + 1) return;
    await clock.advance(before === 0 ? 50 : 1000);
  }
  throw new Error("There was no listing.");
}

test.each<[string, (started: Started) => Promise<void>]>([
  [
    "a search is the first to see it",
    async (started) => {
      await started.clock.advance(20_000);
      removeIndex(started);
    },
  ],
  [
    "an event is the first to see it",
    async (started) => {
      await started.clock.advance(20_000);
      removeIndex(started);
      somethingIsSaid(started);
    },
  ],
  [
    "the first backfill is under way",
    async (started) => {
      await started.clock.advance(LISTING_MS + 1000);
      expect(await started.search()).toContain("Indexing goes on");
      removeIndex(started);
    },
  ],
  [
    "a listing is under way",
    async (started) => {
      await started.clock.advance(20_000);
      await reachSecondPage(started);
      removeIndex(started);
    },
  ],
])("no answer passes for a whole one when the index was removed and %s", async (_what, lose) => {
  const started = start();
  await lose(started);
  const answers = await answersWhileRebuilt(started);
  const told = answers.filter((answer) => answer.includes("index:"));
  expect(answers.filter((answer) => !isWhole(answer) && !told.includes(answer))).toEqual([]);
  expect(told.filter((answer) => answer.includes(REBUILDING))).not.toEqual([]);
  expect(answers.map(isWhole).at(-1)).toBe(true);
});
