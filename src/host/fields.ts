/** Fields: reading values out of payloads that nobody vouches for. A value of another kind counts as absent. */

import { wellFormed } from "../session/well-formed.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The furthest instant a JavaScript Date can hold, in milliseconds either side of 1970. */
const DATE_LIMIT = 8.64e15;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object itself, or one without fields: so that chains of look-ups need no checks. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Like `textOf`, but the empty string counts as absent too: ids and names. */
export function nameOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * An id. One with half a surrogate pair or a NUL counts as absent: no store gives it back as it was, so whatever is kept
 * under it would never be found again.
 */
export function idOf(value: unknown): string | null {
  const name = nameOf(value);
  return name !== null && wellFormed(name) === name ? name : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Whole epoch milliseconds that a Date can hold. */
export function timeOf(value: unknown): number | null {
  return typeof value === "number" && Math.abs(value) <= DATE_LIMIT ? Math.round(value) : null;
}

export function booleanOf(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}
