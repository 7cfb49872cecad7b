import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { CASE_NUMBERS } from "./case-numbers.ts";
import { ELSEWHERE } from "./elsewhere.ts";
import { NOT_APPLICABLE } from "./not-applicable.ts";

const tests = join(import.meta.dirname, "..");

/** Cases that the titles of the tests in this folder name. */
function namedHere(): readonly number[] {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
  const numbers = files.flatMap((name) =>
    Array.from(readFileSync(join(import.meta.dirname, name), "utf8").matchAll(/"case (\d+): /gu), (found) =>
      Number(found[1]),
    ),
  );
  return [...new Set(numbers)];
}

test("every case is held here, elsewhere, or cannot arise, and by one of these alone", () => {
  const covered = [...namedHere(), ...[...ELSEWHERE, ...NOT_APPLICABLE].map((entry) => entry.case)];
  expect(covered.toSorted((one, other) => one - other)).toEqual(CASE_NUMBERS);
});

test.each(ELSEWHERE.flatMap((entry) => entry.tests.map(({ file, title }) => [entry.case, file, title] as const)))(
  "case %i is held in %s: %s",
  (_number, file, title) => {
    expect(readFileSync(join(tests, file), "utf8").includes(`"${title}`)).toBe(true);
  },
);

test.each([...NOT_APPLICABLE, { case: 0, reason: "an example" }])("case $case cannot arise: $reason", ({ reason }) => {
  expect(reason).not.toBe("");
});
