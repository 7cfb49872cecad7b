/**
 * Zones: what dates mean in several time zones, printed as JSON. A program of its own, since the zone belongs to a
 * process; Node looks at TZ again whenever it is assigned.
 */

import { parseDateRange } from "../../src/query/date-range.ts";
import { localIso, localMinute } from "../../src/render/local-time.ts";

export interface ZonesReport {
  /** By zone, then by question (`2024-01-15`, or `today @ <instant>`): the range as two instants. */
  readonly ranges: Readonly<Record<string, Readonly<Record<string, readonly [from: string, to: string]>>>>;
  /** By zone, then by instant: how it is shown. */
  readonly shown: Readonly<Record<string, Readonly<Record<string, readonly [minute: string, iso: string | null]>>>>;
  /** Days of all those years that are not one range between their neighbours', of 23 to 25 hours. */
  readonly brokenDays: readonly string[];
}

const HOUR_MS = 3_600_000;

/** @param asked by zone: dates, and with `@` the instant that they are asked at */
export function reportZones(
  asked: Readonly<Record<string, readonly string[]>>,
  shown: Readonly<Record<string, readonly string[]>>,
): ZonesReport {
  return {
    ranges: inZones(asked, rangeOf),
    shown: inZones(shown, (instant) => [localMinute(Date.parse(instant)), localIso(Date.parse(instant))]),
    brokenDays: Object.keys(asked).flatMap((zone) => {
      process.env["TZ"] = zone;
      return brokenDays().map((day) => `${zone} ${day}`);
    }),
  };
}

function inZones<Value>(
  zones: Readonly<Record<string, readonly string[]>>,
  look: (question: string) => Value,
): Record<string, Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(zones).map(([zone, questions]) => {
      process.env["TZ"] = zone;
      return [zone, Object.fromEntries(questions.map((question) => [question, look(question)]))];
    }),
  );
}

function rangeOf(question: string): [from: string, to: string] {
  const [text = "", at = "2026-12-01T12:00:00Z"] = question.split(" @ ");
  const { from, to } = parseDateRange(text, new Date(at));
  return [new Date(from).toISOString(), new Date(to).toISOString()];
}

function brokenDays(): string[] {
  const broken: string[] = [];
  let end: number | null = null;
  for (let day = 0; day < 365 * 6; day += 1) {
    const written = new Date(Date.UTC(2022, 0, 1 + day)).toISOString().slice(0, 10);
    const { from, to } = parseDateRange(written, new Date());
    const hours = (to - from) / HOUR_MS;
    if ((end !== null && end !== from) || hours < 23 || hours > 25) broken.push(written);
    end = to;
  }
  return broken;
}

const [asked, shown] = process.argv.slice(2);
if (asked !== undefined && shown !== undefined) {
  process.stdout.write(JSON.stringify(reportZones(JSON.parse(asked), JSON.parse(shown))));
}
