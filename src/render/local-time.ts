/** Local time: instants as a person at this machine reads them, always with the offset. Pure but for the time zone. */

const two = (value: number): string => String(value).padStart(2, "0");

/** "2026-07-29 12:28 +02:00" */
export function localMinute(time: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "unknown time";
  return `${localDay(date)} ${two(date.getHours())}:${two(date.getMinutes())} ${offset(date)}`;
}

/** "2026-07-29T12:28:32.000+02:00": ISO 8601, exact to the millisecond. */
export function localIso(time: number): string | null {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return null;
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${localDay(date)}T${clock}.${String(date.getMilliseconds()).padStart(3, "0")}${offset(date)}`;
}

function localDay(date: Date): string {
  return `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function offset(date: Date): string {
  const minutes = Math.round(-date.getTimezoneOffset());
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
