import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { WriteSchedule } from "../../src/archive/write-schedule.ts";
import { FakeClock } from "../support/fake-clock.ts";

/** A schedule on fake time whose writes take `cost` milliseconds. */
class Scene {
  readonly clock = new FakeClock();
  readonly writes: { key: string; at: number }[] = [];
  readonly failures: number[] = [];
  readonly busy = new Set<string>();
  cost = 0;
  isOpen = true;
  broken = false;
  readonly schedule = new WriteSchedule({
    clock: this.clock,
    write: async (key) => {
      if (this.broken) throw new Error("no space left");
      this.writes.push({ key, at: this.clock.monotonic() });
      if (this.cost > 0) await this.clock.sleep(this.cost);
    },
    isBusy: (key) => this.busy.has(key),
    longestSettleMs: () => 1500,
    isOpen: () => this.isOpen,
    onFailure: (_key, _error, failures) => void this.failures.push(failures),
  });
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => {
  scene.schedule.stop();
});

describe("a write", () => {
  test("comes also when the schedule was woken before there was anything to write", async () => {
    scene.schedule.wake();
    await scene.clock.advance(1);
    scene.schedule.request("a");
    await scene.clock.advance(600);
    expect(scene.writes.map(({ key }) => key)).toEqual(["a"]);
  });

  test("comes half a second after the first of many changes", async () => {
    for (let change = 0; change < 10; change += 1) {
      scene.schedule.request("a");
      await scene.clock.advance(40);
    }
    await scene.clock.advance(1000);
    expect(scene.writes).toEqual([{ key: "a", at: 500 }]);
  });

  test("takes at most 2% of the time while a turn is under way", async () => {
    scene.cost = 60;
    scene.busy.add("a");
    for (let second = 0; second < 1200; second += 1) {
      scene.schedule.request("a");
      await scene.clock.advance(1000);
    }
    expect(scene.writes.length * scene.cost).toBeLessThanOrEqual(0.02 * 1_200_000);
    expect(scene.writes.length).toBeGreaterThan(250);
  });

  test("counts work that was done elsewhere", async () => {
    scene.busy.add("a");
    scene.schedule.charge(100);
    scene.schedule.request("a");
    await scene.clock.advance(6599);
    expect(scene.writes).toEqual([]);
    await scene.clock.advance(1);
    expect(scene.writes).toEqual([{ key: "a", at: 6600 }]);
  });

  test("of the last state comes within a second of the turn's end, however much writing cost", async () => {
    scene.cost = 400;
    scene.busy.add("a");
    scene.schedule.request("a");
    await scene.clock.advance(1000);
    scene.schedule.request("a");
    await scene.clock.advance(5000);
    expect(scene.writes.length).toBe(1);
    scene.busy.delete("a");
    scene.schedule.wake();
    scene.schedule.request("a");
    await scene.clock.advance(1000);
    expect(scene.writes.length).toBe(2);
  });

  test("that costs much waits longer, but not for ever", async () => {
    scene.cost = 100;
    scene.schedule.request("a");
    await scene.clock.advance(1000);
    scene.schedule.request("a");
    await scene.clock.advance(2000);
    scene.cost = 10_000;
    scene.schedule.request("a");
    await scene.clock.advance(20_000);
    scene.schedule.request("a");
    await scene.clock.advance(20_000);
    expect(scene.writes.map(({ at }) => at)).toEqual([500, 1900, 3900, 24_500]);
  });

  test("waits while nothing may be written, and comes when it may", async () => {
    scene.isOpen = false;
    scene.schedule.request("a");
    await scene.clock.advance(100_000);
    expect(scene.writes).toEqual([]);
    scene.isOpen = true;
    scene.schedule.wake();
    await scene.clock.advance(0);
    expect(scene.writes).toEqual([{ key: "a", at: 100_000 }]);
  });

  test("that fails comes again, ever more seldom", async () => {
    scene.broken = true;
    scene.schedule.request("a");
    await scene.clock.advance(10_000);
    expect(scene.failures).toEqual([1, 2, 3, 4]);
    scene.broken = false;
    await scene.clock.advance(10_000);
    expect(scene.writes.length).toBe(1);
    expect(scene.schedule.isEmpty).toBe(true);
  });

  test("that failed for hours comes within a minute of what ails it being mended", async () => {
    scene.broken = true;
    scene.schedule.request("a");
    await scene.clock.advance(2 * 3_600_000);
    scene.broken = false;
    await scene.clock.advance(60_000);
    expect(scene.writes.length).toBe(1);
  });
});

describe("a flush", () => {
  test("writes everything at once, one after the other", async () => {
    scene.busy.add("a");
    scene.schedule.charge(1000);
    for (const key of ["a", "b", "c"]) scene.schedule.request(key);
    await scene.schedule.flush(["b"]);
    expect(scene.writes.map(({ key }) => key)).toEqual(["b"]);
    await scene.schedule.flush();
    expect(scene.writes.map(({ key }) => key)).toEqual(["b", "a", "c"]);
  });

  test("tries what fails once", async () => {
    scene.broken = true;
    scene.schedule.request("a");
    await scene.schedule.flush();
    expect(scene.failures).toEqual([1]);
  });
});
