/** Mutations: recorded payloads with some of their values missing, of another kind, huge or hostile. */

import * as fc from "fast-check";

import { unicodeText } from "../support/unicode-text.ts";

/** One change at a place in a JSON value, found by following `steps` as far as they lead. */
export interface Mutation {
  readonly steps: readonly number[];
  readonly change: "remove" | "replace" | "repeat" | "add";
  readonly value: unknown;
}

const HOSTILE_TEXTS = [
  "",
  " ",
  "\0",
  "\ud83d",
  "\udd0c\ud83d",
  "../../escaped",
  "/etc/passwd",
  "..\\x",
  "a\0b",
  "CON",
  "x.",
  "__proto__",
  "constructor",
  "\u001e",
  "\u2028\n\r\t\u0007",
  '"}],"turns":[',
  "tool",
  "text",
  "user",
  "assistant",
  "msg_1",
  "ses_1",
];

/** An array in an object in an array…, as a parser without recursion reads it. */
export function nested(depth: number): unknown {
  return JSON.parse(`${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`);
}

/** Values that a field may have in place of its own. */
export function wrongValues(): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<unknown>(...HOSTILE_TEXTS) },
    {
      weight: 6,
      arbitrary: fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, -1e300, 8.64e15, 1e16, [], {}, [null], [[]]),
    },
    { weight: 3, arbitrary: unicodeText() },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(200_000, 600_000).map((length) => "word ".repeat(length / 5)) },
    { weight: 1, arbitrary: fc.constantFrom(100, 3000, 60_000).map(nested) },
    {
      weight: 1,
      arbitrary: fc
        .constant(0)
        .map(() => Array.from({ length: 5000 }, (_, place) => ({ type: "text", text: `t${place}` }))),
    },
  );
}

export function mutations(most: number): fc.Arbitrary<readonly Mutation[]> {
  return fc.array(
    fc.record({
      steps: fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 8 }),
      change: fc.constantFrom("remove", "replace", "replace", "replace", "repeat", "add"),
      value: wrongValues(),
    }),
    { maxLength: most },
  );
}

/** A copy of a JSON value, changed. */
export function mutated(value: unknown, changes: readonly Mutation[]): unknown {
  const copy: { root: unknown } = { root: JSON.parse(JSON.stringify(value)) };
  for (const change of changes) apply(copy, change);
  return copy.root;
}

type Place = Record<string, unknown>;

function isPlace(value: unknown): value is Place {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function apply(root: Place, { steps, change, value }: Mutation): void {
  let place = root;
  let key = "root";
  for (const step of steps) {
    const inner = place[key];
    if (!isPlace(inner)) break;
    const keys = Object.keys(inner);
    place = inner;
    key = keys[step % keys.length] ?? key;
  }
  switch (change) {
    case "remove":
      if (Array.isArray(place)) place.splice(Number(key), 1);
      else Reflect.deleteProperty(place, key);
      break;
    case "replace":
      place[key] = value;
      break;
    case "repeat":
      if (Array.isArray(place)) place.push(place[Number(key)]);
      break;
    case "add":
      if (Array.isArray(place)) place.push(value);
      else place["added"] = value;
      break;
  }
}
