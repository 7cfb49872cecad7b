/** Date range: the `date` input of the tools, read as whole local days. */

import { addDays, addMonths, startOfDay, startOfMonth, subDays, subMonths } from "date-fns";

import type { TimeRange } from "./ast.ts";
import { QueryError } from "./query-error.ts";

/** The forms as they are named to whoever wrote another one. */
export const DATE_FORMS =
  "today, yesterday, last N days, last N weeks, last N months, YYYY-MM-DD, YYYY-MM, or A to B (B included) where A and B are days or months";

const LAST = /^last (\d{1,4}) (day|week|month)s?$/u;
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/u;
const MONTH = /^(\d{4})-(\d{2})$/u;
const SPAN = /^(\S+) to (\S+)$/u;

interface Days {
  readonly from: Date;
  readonly to: Date;
}

/**
 * Reads a date range in local time. `last N days` are N calendar days, today being the last of them; `last N months`
 * begins on the same day N months ago, or on that month's last day where it is shorter.
 * @param now what "today" is measured from
 * @returns half-open, epoch milliseconds: from the first instant of the first day to the first instant after the last
 * @throws QueryError naming the accepted forms
 */
export function parseDateRange(text: string, now: Date): TimeRange {
  const written = text.trim().replace(/\s+/gu, " ").toLowerCase();
  const span = SPAN.exec(written);
  if (span === null) return timeRange(lastDays(written, now) ?? dayOrMonth(written, now, text));
  const [, first = "", last = ""] = span;
  const { from } = dayOrMonth(first, now, text);
  const { to } = dayOrMonth(last, now, text);
  if (from >= to)
    throw new QueryError("date-order", `Date "${shown(text)}" ends before it begins. Write the earlier day first.`);
  return timeRange({ from, to });
}

function timeRange({ from, to }: Days): TimeRange {
  return { from: from.getTime(), to: to.getTime() };
}

function lastDays(written: string, now: Date): Days | null {
  const [, digits, unit] = LAST.exec(written) ?? [];
  const count = Number(digits);
  if (unit === undefined || count === 0) return null;
  const to = dayAfter(now);
  if (unit === "month") return { from: startOfDay(subMonths(now, count)), to };
  return { from: startOfDay(subDays(now, (unit === "week" ? 7 * count : count) - 1)), to };
}

function dayOrMonth(written: string, now: Date, text: string): Days {
  if (written === "today") return day(now);
  if (written === "yesterday") return day(subDays(now, 1));
  const [, year, month, date = "01"] = DAY.exec(written) ?? MONTH.exec(written) ?? [];
  if (year === undefined || month === undefined) {
    throw new QueryError("unknown-date", `Date "${shown(text)}" is not understood. Accepted: ${DATE_FORMS}.`);
  }
  const first = localDay(Number(year), Number(month), Number(date));
  if (first === null) {
    throw new QueryError("no-such-date", `Date "${shown(text)}" is not in the calendar. Accepted: ${DATE_FORMS}.`);
  }
  return MONTH.test(written) ? { from: first, to: startOfMonth(addMonths(first, 1)) } : day(first);
}

/** UTF-16 units of a text that is no date, as it is repeated to whoever wrote it. */
const LONGEST_SHOWN = 100;

function shown(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}

function day(within: Date): Days {
  return { from: startOfDay(within), to: dayAfter(within) };
}

/** Where a clock change skips midnight a day begins at 1:00, so the next day's start is looked for anew. */
function dayAfter(within: Date): Date {
  return startOfDay(addDays(within, 1));
}

/** The start of a day of the calendar, month 1..12; null when there is no such day. */
function localDay(year: number, month: number, date: number): Date | null {
  const start = new Date(2000, 0, 1);
  // Not by the constructor: it takes the years 0 to 99 for 1900 to 1999.
  start.setFullYear(year, month - 1, date);
  const exists = start.getFullYear() === year && start.getMonth() === month - 1 && start.getDate() === date;
  return exists ? startOfDay(start) : null;
}
