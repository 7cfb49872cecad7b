import { describe, expect, it } from "vitest";

import { DeadlineError, withDeadline } from "../../src/sync/deadline.ts";
import { FakeClock } from "../support/fake-clock.ts";

const never = () => new Promise<never>(() => {});

describe("a deadline", () => {
  it("gives what the work gives, and leaves no timer", async () => {
    const clock = new FakeClock();
    expect(await withDeadline(clock, "Work", 1000, [], async () => 7)).toBe(7);
    expect(clock.sleeping).toBe(0);
  });

  it("passes on what the work fails with", async () => {
    const clock = new FakeClock();
    const work = withDeadline(clock, "Work", 1000, [], async () => {
      throw new Error("no");
    });
    await expect(work).rejects.toThrow("no");
    expect(clock.sleeping).toBe(0);
  });

  it("ends work that heeds nothing, says what did not answer, and aborts it", async () => {
    const clock = new FakeClock();
    let aborted: AbortSignal | undefined;
    const work = withDeadline(clock, "Reading session ses_1", 1000, [], (signal) => {
      aborted = signal;
      return never();
    });
    const refusal = new DeadlineError("Reading session ses_1", 1000);
    await Promise.all([expect(work).rejects.toThrow(refusal), clock.advance(1000)]);
    expect(aborted?.aborted).toBe(true);
  });

  it.each([0, 1])("ends with signal %i, for its reason", async (which) => {
    const clock = new FakeClock();
    const controllers = [new AbortController(), new AbortController()];
    const signals = controllers.map(({ signal }) => signal);
    const work = withDeadline(clock, "Work", 1000, signals, never);
    controllers[which]?.abort(new Error("left"));
    await expect(work).rejects.toThrow("left");
    expect(clock.sleeping).toBe(0);
  });

  it("does not begin when a signal is already aborted", async () => {
    const begun: number[] = [];
    const signals = [AbortSignal.abort(new Error("left"))];
    const work = withDeadline(new FakeClock(), "Work", 1000, signals, async () => void begun.push(1));
    await expect(work).rejects.toThrow("left");
    expect(begun).toEqual([]);
  });
});
