import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { DATE_FORMS, parseDateRange } from "../../src/query/date-range.ts";
import { QueryError } from "../../src/query/query-error.ts";
import { MANY_CASES } from "../support/test-size.ts";

/** Local noon, which every calendar day of every zone has. */
function noon(year: number, month: number, date: number): Date {
  return new Date(year, month - 1, date, 12);
}

function localDay(instant: number): string {
  const date = new Date(instant);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${String(date.getFullYear()).padStart(4, "0")}-${month}-${day}`;
}

/** The first and the last local day of a range, checking that it begins and ends where days do. */
function localDays(text: string, now: Date): [string, string] {
  const { from, to } = parseDateRange(text, now);
  expect(localDay(from - 1)).not.toBe(localDay(from));
  expect(localDay(to - 1)).not.toBe(localDay(to));
  return [localDay(from), localDay(to - 1)];
}

const NOW = noon(2026, 3, 31);

describe("a date is a range of whole local days", () => {
  test.each([
    ["today", "2026-03-31", "2026-03-31"],
    ["yesterday", "2026-03-30", "2026-03-30"],
    ["last 1 day", "2026-03-31", "2026-03-31"],
    ["last 7 days", "2026-03-25", "2026-03-31"],
    ["last 1 week", "2026-03-25", "2026-03-31"],
    ["last 2 weeks", "2026-03-18", "2026-03-31"],
    ["last 3 months", "2025-12-31", "2026-03-31"],
    ["2024-01-15", "2024-01-15", "2024-01-15"],
    ["2024-02-29", "2024-02-29", "2024-02-29"],
    ["2024-02", "2024-02-01", "2024-02-29"],
    ["2025-12", "2025-12-01", "2025-12-31"],
    ["2024-01-15 to 2024-01-17", "2024-01-15", "2024-01-17"],
    ["2024-01-15 to 2024-01-15", "2024-01-15", "2024-01-15"],
    ["2024-01 to 2024-03", "2024-01-01", "2024-03-31"],
    ["2024-01-15 to 2024-02", "2024-01-15", "2024-02-29"],
    ["2026-03-01 to today", "2026-03-01", "2026-03-31"],
    ["yesterday to today", "2026-03-30", "2026-03-31"],
    ["  Last   7  Days ", "2026-03-25", "2026-03-31"],
    ["TODAY", "2026-03-31", "2026-03-31"],
    ["0050-01-02", "0050-01-02", "0050-01-02"],
  ])("%j is %s to %s", (text, first, last) => {
    expect(localDays(text, NOW)).toEqual([first, last]);
  });

  test.each([
    [noon(2026, 3, 31), "last 1 month", "2026-02-28"],
    [noon(2024, 3, 31), "last 1 month", "2024-02-29"],
    [noon(2026, 7, 31), "last 1 month", "2026-06-30"],
    [noon(2026, 1, 15), "last 12 months", "2025-01-15"],
  ])("case 27: at %s, %j begins on %s", (now, text, first) => {
    expect(localDays(text, now)[0]).toBe(first);
  });

  test("cases 25 and 26: a day holds its first and its last minute in the zone it is read in", () => {
    const { from, to } = parseDateRange("2024-01-15", NOW);
    expect(from).toBe(new Date(2024, 0, 15, 0, 0).getTime());
    expect(new Date(2024, 0, 15, 23, 59, 59, 999).getTime()).toBe(to - 1);
  });

  test.each([noon(2026, 12, 1), new Date(2026, 11, 1, 0, 0, 0, 0), new Date(2026, 11, 1, 23, 59, 59, 999)])(
    "case 30: at %s it is the same today",
    (now) => {
      expect(localDays("today", now)).toEqual(["2026-12-01", "2026-12-01"]);
    },
  );

  test("every day of the calendar is one local day, those with clock changes too", MANY_CASES, () => {
    // 2023 to 2028 hold changes at midnight (Beirut), at 2:00 (Los Angeles) and none (Tokyo, UTC).
    const days = fc.integer({ min: 0, max: 365 * 6 });
    fc.assert(
      fc.property(days, (offset) => {
        const date = noon(2023, 1, 1 + offset);
        const written = localDay(date.getTime());
        expect(localDays(written, NOW)).toEqual([written, written]);
        expect(localDays("today", date)).toEqual([written, written]);
        expect(localDays("yesterday", noon(2023, 1, 2 + offset))).toEqual([written, written]);
        expect(localDays("last 2 days", noon(2023, 1, 2 + offset))[0]).toBe(written);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("another form is an error that names the accepted ones", () => {
  test.each([
    "",
    "tomorrow",
    "last week",
    "last 0 days",
    "last -1 days",
    "last 1.5 days",
    "last 99999 days",
    "2024",
    "2024-1-5",
    "15.01.2024",
    "2024-01-15T10:00",
    "2024-01-15 to",
    "to 2024-01-15",
    "2024-01-15 - 2024-01-17",
    "last 3 days to today",
    "2024-01-15 to 2024-01-16 to 2024-01-17",
  ])("%j is not understood", (text) => {
    expect(queryError(text)).toMatchObject({ code: "unknown-date", message: expect.stringContaining(DATE_FORMS) });
    expect(queryError(text).message).toContain(`"${text}"`);
  });

  test.each(["2023-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "2024-13", "2024-01-00 to today"])(
    "%j is not in the calendar",
    (text) => {
      expect(queryError(text)).toMatchObject({ code: "no-such-date", message: expect.stringContaining(DATE_FORMS) });
    },
  );

  test.each(["2024-01-17 to 2024-01-15", "today to yesterday", "2024-03 to 2024-02-29"])(
    "%j ends too early",
    (text) => {
      expect(queryError(text)).toMatchObject({ code: "date-order" });
    },
  );

  test("no text makes anything but a QueryError", MANY_CASES, () => {
    const piece = fc.constantFrom(
      "last ",
      "today",
      " to ",
      "2024",
      "-02",
      "-31",
      "9999",
      " days",
      " months",
      "\0",
      "é",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece, { maxLength: 6 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, (written) => {
        const outcome = attempt(written);
        expect(outcome instanceof QueryError || (outcome.from < outcome.to && Number.isFinite(outcome.from))).toBe(
          true,
        );
      }),
      { numRuns: 500 },
    );
  });
});

function attempt(text: string): QueryError | { from: number; to: number } {
  try {
    return parseDateRange(text, NOW);
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
}

function queryError(text: string): QueryError {
  const outcome = attempt(text);
  if (outcome instanceof QueryError) return outcome;
  throw new Error(`"${text}" was understood`);
}
