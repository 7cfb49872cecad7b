import { beforeEach, describe, expect, it } from "vitest";

import { createBackfillToast } from "../src/backfill-toast.ts";
import type { BackfillProgress } from "../src/sync/backfill.ts";
import { FakeClock } from "./support/fake-clock.ts";

const progress = (first: BackfillProgress["first"], sessionsKnown: number | null): BackfillProgress => ({
  first,
  sessionsKnown,
  isListingCurrent: true,
  sessionsLeft: first === "done" ? 0 : 1,
  trouble: null,
});

describe("toasts about the first indexing", () => {
  let clock: FakeClock;
  let shown: string[];
  let tell: (progress: BackfillProgress) => void;

  beforeEach(() => {
    clock = new FakeClock();
    shown = [];
    tell = createBackfillToast(clock, (message) => shown.push(message));
  });

  it("there are none when it takes less than ten seconds", async () => {
    tell(progress("running", 1200));
    await clock.advance(9_000);
    tell(progress("done", 1200));
    await clock.advance(60_000);
    expect(shown).toEqual([]);
  });

  it("there is one at its start and one at its end when it takes longer", async () => {
    tell(progress("running", 1200));
    tell(progress("running", 1200));
    await clock.advance(11_000);
    expect(shown).toEqual(["Indexing 1,200 past sessions for search, newest first. Recent ones can be found already."]);
    tell(progress("done", 1201));
    tell(progress("done", 1201));
    expect(shown.slice(1)).toEqual(["Indexed: 1,201 past sessions can be searched."]);
  });
});
