import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { KeyedSchedulerOptions } from "../../src/runtime/keyed-scheduler.ts";
import { growingDelay, KeyedScheduler } from "../../src/runtime/keyed-scheduler.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { isFullSize } from "../support/test-size.ts";

interface Run {
  readonly key: string;
  readonly request: readonly string[];
  /** Milliseconds since the test began. */
  readonly at: number;
}

function start(given: Partial<KeyedSchedulerOptions<readonly string[]>> = {}) {
  const clock = new FakeClock();
  const runs: Run[] = [];
  const failures: { readonly key: string; readonly count: number; readonly at: number }[] = [];
  const outcome = { failing: false, lastsMs: 0 };
  const scheduler = new KeyedScheduler<readonly string[]>({
    clock,
    async run(key, request, signal) {
      runs.push({ key, request, at: clock.monotonic() });
      if (outcome.lastsMs > 0) await clock.sleep(outcome.lastsMs, signal);
      if (outcome.failing) throw new Error("no");
    },
    merge: (earlier, later) => [...earlier, ...later],
    settleMs: 100,
    intervalMs: 1000,
    concurrency: 10,
    onFailure(key, _error, count) {
      failures.push({ key, count, at: clock.monotonic() });
    },
    ...given,
  });
  return { clock, scheduler, runs, failures, outcome };
}

describe("a keyed scheduler", () => {
  it("makes one run of a burst, after it has settled", async () => {
    const { clock, scheduler, runs } = start();
    for (const word of ["a", "b", "c"]) scheduler.request("k", [word]);
    await clock.advance(99);
    expect(runs).toEqual([]);
    await clock.advance(1);
    expect(runs).toEqual([{ key: "k", request: ["a", "b", "c"], at: 100 }]);
  });

  it("runs once an interval while requests keep coming, and loses none", async () => {
    const { clock, scheduler, runs } = start();
    for (let tick = 0; tick < 500; tick += 1) {
      scheduler.request("k", [`${tick}`]);
      await clock.advance(10);
    }
    await clock.advance(1000);
    expect(runs.map(({ at }) => at)).toEqual([100, 1100, 2100, 3100, 4100, 5100]);
    expect(runs.flatMap(({ request }) => request)).toEqual(Array.from({ length: 500 }, (_, tick) => `${tick}`));
  });

  it("runs a key once at a time", async () => {
    const { clock, scheduler, runs, outcome } = start();
    outcome.lastsMs = 5000;
    scheduler.request("k", ["a"]);
    await clock.advance(200);
    scheduler.request("k", ["b"]);
    await clock.advance(4800);
    expect(runs).toHaveLength(1);
    await clock.advance(100);
    expect(runs).toHaveLength(1);
  });

  it("gives a long run a pause as long as itself", async () => {
    const { clock, scheduler, runs, outcome } = start();
    outcome.lastsMs = 5000;
    scheduler.request("k", ["a"]);
    await clock.advance(200);
    scheduler.request("k", ["b"]);
    await clock.advance(20_000);
    expect(runs.map(({ at }) => at)).toEqual([100, 10_100]);
  });

  it("forgets a key whose interval has passed", async () => {
    const { clock, scheduler } = start();
    scheduler.request("k", ["a"]);
    await clock.advance(1100);
    expect(scheduler.size).toBe(0);
    expect(clock.sleeping).toBe(0);
  });

  it("keeps keys apart: one that hangs delays no other", async () => {
    const { clock, scheduler, runs } = start({
      run: async (key) => {
        if (key === "hangs") await new Promise(() => {});
        runs.push({ key, request: [], at: 0 });
      },
    });
    scheduler.request("hangs", ["a"]);
    scheduler.request("k", ["a"]);
    await clock.advance(100);
    expect(runs.map(({ key }) => key)).toEqual(["k"]);
  });

  it("runs no more keys at once than it may", async () => {
    let underWay = 0;
    let most = 0;
    const { clock, scheduler, runs } = start({
      concurrency: 3,
      run: async (key) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await clock.sleep(50);
        underWay -= 1;
        runs.push({ key, request: [], at: 0 });
      },
    });
    for (let index = 0; index < 20; index += 1) scheduler.request(`k${index}`, ["a"]);
    await clock.advance(1000);
    expect(most).toBe(3);
    expect(runs).toHaveLength(20);
  });

  it("tries a failing key again, ever more seldom, with what was asked for in between", async () => {
    const { clock, scheduler, runs, failures, outcome } = start();
    outcome.failing = true;
    scheduler.request("k", ["a"]);
    await clock.advance(100);
    scheduler.request("k", ["b"]);
    await clock.advance(7000);
    expect(failures).toEqual([
      { key: "k", count: 1, at: 100 },
      { key: "k", count: 2, at: 1100 },
      { key: "k", count: 3, at: 3100 },
      { key: "k", count: 4, at: 7100 },
    ]);
    outcome.failing = false;
    await clock.advance(8000);
    expect(runs.at(-1)).toEqual({ key: "k", request: ["a", "b"], at: 15_100 });
    expect(scheduler.failing).toBe(0);
  });

  it("never gives up, and never waits longer than ten minutes", async () => {
    const { clock, scheduler, failures, outcome } = start();
    outcome.failing = true;
    scheduler.request("k", ["a"]);
    await clock.advance(24 * 3_600_000);
    const waits = failures.slice(1).map(({ at }, index) => at - (failures[index]?.at ?? 0));
    expect(waits.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(Math.max(...waits)).toBe(600_000);
    expect(failures.length).toBeGreaterThan(140);
    expect(scheduler.isFailing("k")).toBe(true);
    expect(scheduler.isFailing("other")).toBe(false);
  });

  it("brings a retry forward when something new is asked for", async () => {
    const { clock, scheduler, failures, outcome } = start({ eagerRetryMs: 5000 });
    outcome.failing = true;
    scheduler.request("k", ["a"]);
    await clock.advance(511_100);
    expect(failures.at(-1)?.at).toBe(511_100);
    await clock.advance(1000);
    scheduler.request("k", ["b"]);
    await clock.advance(4000);
    expect(failures.at(-1)?.at).toBe(516_100);
    await clock.advance(60_000);
    scheduler.request("k", ["c"]);
    await clock.advance(0);
    expect(failures.at(-1)?.at).toBe(576_100);
  });

  it("drains: runs now what waits, without the interval", async () => {
    const { clock, scheduler, runs } = start();
    scheduler.request("k", ["a"]);
    await clock.advance(100);
    scheduler.request("k", ["b"]);
    scheduler.request("other", ["c"]);
    await scheduler.drain();
    expect(runs.map(({ request }) => request)).toEqual([["a"], ["b"], ["c"]]);
    expect(clock.monotonic()).toBe(100);
  });

  it("drains only the keys it is told, also when they are unknown", async () => {
    const { scheduler, runs } = start();
    scheduler.request("k", ["a"]);
    scheduler.request("other", ["b"]);
    await scheduler.drain(["k", "unknown"]);
    expect(runs.map(({ key }) => key)).toEqual(["k"]);
  });

  it("drains what was asked for during a run, too", async () => {
    const { clock, scheduler, runs, outcome } = start();
    outcome.lastsMs = 100;
    scheduler.request("k", ["a"]);
    await clock.advance(150);
    scheduler.request("k", ["b"]);
    const drained = scheduler.drain();
    await clock.advance(200);
    await drained;
    expect(runs.map(({ request, at }) => [request, at])).toEqual([
      [["a"], 100],
      [["b"], 200],
    ]);
  });

  it("does not wait for retries when it drains", async () => {
    const { clock, scheduler, failures, outcome } = start();
    outcome.failing = true;
    scheduler.request("k", ["a"]);
    await scheduler.drain();
    expect(failures).toHaveLength(1);
    await clock.advance(1000);
    expect(failures).toHaveLength(2);
  });

  it("forgets a cancelled key and aborts its run", async () => {
    const aborted: unknown[] = [];
    const { clock, scheduler, failures } = start({
      run: (_key, _request, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            aborted.push(signal.reason);
            reject(signal.reason);
          });
        }),
    });
    scheduler.request("k", ["a"]);
    await clock.advance(100);
    scheduler.request("k", ["b"]);
    scheduler.cancel("k");
    await clock.advance(10_000);
    expect(aborted).toHaveLength(1);
    expect(failures).toEqual([]);
    expect(scheduler.size).toBe(0);
  });

  it("stops: aborts everything, waits for nobody's retry, and takes no more requests", async () => {
    const { clock, scheduler, runs, outcome } = start();
    outcome.lastsMs = 1000;
    scheduler.request("k", ["a"]);
    scheduler.request("waiting", ["a"]);
    await clock.advance(100);
    const drained = scheduler.drain();
    await scheduler.stop();
    await drained;
    scheduler.request("k", ["b"]);
    await clock.advance(10_000);
    expect(runs.map(({ key }) => key)).toEqual(["k", "waiting"]);
    expect(clock.sleeping).toBe(0);
  });

  it("does whatever was asked for, once, whatever fails in between", async () => {
    const step = fc.record({ key: fc.constantFrom("a", "b", "c"), wait: fc.nat(3000), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const done: string[] = [];
        const { clock, scheduler, outcome } = start({
          run: async (_key, request) => {
            await settle(1);
            if (outcome.failing) throw new Error("no");
            done.push(...request);
          },
        });
        for (const [index, { key, wait, fails }] of steps.entries()) {
          outcome.failing = fails;
          scheduler.request(key, [`${index}`]);
          await clock.advance(wait);
        }
        outcome.failing = false;
        await clock.advance(700_000);
        expect(done.map(Number).sort((one, other) => one - other)).toEqual(steps.map((_, index) => index));
        expect(scheduler.size).toBe(0);
      }),
      { numRuns: isFullSize() ? 200 : 15 },
    );
  });
});

describe("the growing delay", () => {
  it.each([
    [1, 1000],
    [2, 2000],
    [5, 16_000],
    [10, 512_000],
    [11, 600_000],
    [5000, 600_000],
  ])("after %i failures is %i ms", (failures, ms) => {
    expect(growingDelay(failures)).toBe(ms);
  });
});
