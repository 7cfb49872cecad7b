import { spawnSync } from "node:child_process";

import { beforeAll, expect, test } from "vitest";

import type { ZonesReport } from "./zones.ts";

type Range = readonly [zone: string, asked: string, from: string, to: string];

const DAYS: readonly Range[] = [
  ["America/Los_Angeles", "2024-01-15", "2024-01-15T08:00:00.000Z", "2024-01-16T08:00:00.000Z"],
  ["America/Los_Angeles", "2024-03-10", "2024-03-10T08:00:00.000Z", "2024-03-11T07:00:00.000Z"],
  ["America/St_Johns", "2024-01-15", "2024-01-15T03:30:00.000Z", "2024-01-16T03:30:00.000Z"],
  ["America/Los_Angeles", "2024-01", "2024-01-01T08:00:00.000Z", "2024-02-01T08:00:00.000Z"],
];

const EASTERN_DAYS: readonly Range[] = [
  ["Asia/Tokyo", "2024-01-15", "2024-01-14T15:00:00.000Z", "2024-01-15T15:00:00.000Z"],
  ["Asia/Kathmandu", "2024-01-15", "2024-01-14T18:15:00.000Z", "2024-01-15T18:15:00.000Z"],
  ["Pacific/Kiritimati", "2024-01-15", "2024-01-14T10:00:00.000Z", "2024-01-15T10:00:00.000Z"],
  ["Asia/Tokyo", "2024-01-15 to 2024-01-16", "2024-01-14T15:00:00.000Z", "2024-01-16T15:00:00.000Z"],
];

/** Clocks go from 0:00 to 1:00 in spring, and back at the end of a day in autumn. */
const CLOCK_CHANGES: readonly Range[] = [
  ["Asia/Beirut", "2024-03-31", "2024-03-30T22:00:00.000Z", "2024-03-31T21:00:00.000Z"],
  ["Asia/Beirut", "2024-10-26", "2024-10-25T21:00:00.000Z", "2024-10-26T22:00:00.000Z"],
  ["Africa/Cairo", "2024-04-26", "2024-04-25T22:00:00.000Z", "2024-04-26T21:00:00.000Z"],
  ["Africa/Cairo", "2024-10-31", "2024-10-30T21:00:00.000Z", "2024-10-31T22:00:00.000Z"],
  ["America/Santiago", "2024-09-08", "2024-09-08T04:00:00.000Z", "2024-09-09T03:00:00.000Z"],
  ["America/Santiago", "2024-04-06", "2024-04-06T03:00:00.000Z", "2024-04-07T04:00:00.000Z"],
  ["Asia/Beirut", "yesterday @ 2024-04-01T00:10:00+03:00", "2024-03-30T22:00:00.000Z", "2024-03-31T21:00:00.000Z"],
  ["Africa/Cairo", "last 2 days @ 2024-04-26T01:10:00+03:00", "2024-04-24T22:00:00.000Z", "2024-04-26T21:00:00.000Z"],
  ["America/Santiago", "today @ 2024-09-08T01:00:00-03:00", "2024-09-08T04:00:00.000Z", "2024-09-09T03:00:00.000Z"],
];

const AFTER_MIDNIGHT: readonly (readonly [zone: string, instant: string, minute: string, today: Range])[] = [
  [
    "Africa/Nairobi",
    "2026-07-28T21:30:00Z",
    "2026-07-29 00:30 +03:00",
    ["Africa/Nairobi", "today @ 2026-07-28T21:30:00Z", "2026-07-28T21:00:00.000Z", "2026-07-29T21:00:00.000Z"],
  ],
  [
    "America/Los_Angeles",
    "2026-07-29T06:59:00Z",
    "2026-07-28 23:59 -07:00",
    ["America/Los_Angeles", "today @ 2026-07-29T06:59:00Z", "2026-07-28T07:00:00.000Z", "2026-07-29T07:00:00.000Z"],
  ],
  [
    "Asia/Kathmandu",
    "2026-07-28T18:20:00Z",
    "2026-07-29 00:05 +05:45",
    ["Asia/Kathmandu", "today @ 2026-07-28T18:20:00Z", "2026-07-28T18:15:00.000Z", "2026-07-29T18:15:00.000Z"],
  ],
];

let report: ZonesReport = { ranges: {}, shown: {}, brokenDays: [] };

function byZone(rows: readonly (readonly [zone: string, question: string, ...rest: readonly unknown[]])[]) {
  const zones: Record<string, string[]> = {};
  for (const [zone, question] of rows) (zones[zone] ??= []).push(question);
  return zones;
}

beforeAll(() => {
  const ranges = [...DAYS, ...EASTERN_DAYS, ...CLOCK_CHANGES, ...AFTER_MIDNIGHT.map(([, , , today]) => today)];
  const args = [byZone(ranges), byZone(AFTER_MIDNIGHT)].map((zones) => JSON.stringify(zones));
  const { stdout, stderr } = spawnSync(process.execPath, ["scripts/run.mjs", "test/cases/zones.ts", ...args], {
    encoding: "utf8",
  });
  if (stderr !== "") throw new Error(stderr);
  report = JSON.parse(stdout);
}, 60_000);

test.each(DAYS)("case 25: west of UTC a day is a local day: %s, %s", (zone, asked, from, to) => {
  expect(report.ranges[zone]?.[asked]).toEqual([from, to]);
});

test.each(EASTERN_DAYS)("case 26: east of UTC a day has its first hours: %s, %s", (zone, asked, from, to) => {
  expect(report.ranges[zone]?.[asked]).toEqual([from, to]);
});

test.each(AFTER_MIDNIGHT)("case 30: in %s, %s is shown as %s and is today", (zone, instant, minute, today) => {
  expect(report.shown[zone]?.[instant]?.[0]).toBe(minute);
  expect(Date.parse(report.shown[zone]?.[instant]?.[1] ?? "")).toBe(Date.parse(instant));
  expect(report.ranges[zone]?.[today[1]]).toEqual([today[2], today[3]]);
});

test.each(CLOCK_CHANGES)("a day on which clocks change is the whole of it: %s, %s", (zone, asked, from, to) => {
  expect(report.ranges[zone]?.[asked]).toEqual([from, to]);
});

test("every day of six years follows the one before, in each of these zones", () => {
  expect(report.brokenDays).toEqual([]);
});
