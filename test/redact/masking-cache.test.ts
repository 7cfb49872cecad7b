import { expect, test } from "vitest";

import { createMasker, type Masker } from "../../src/redact/mask.ts";
import { createMaskingCache } from "../../src/redact/masking-cache.ts";

const token = `glpat-${"a1B2".repeat(6)}`;
const pause = { breathe: () => undefined };

function countingMasker(): { masker: Masker; calls: () => number } {
  const real = createMasker();
  let calls = 0;
  return {
    calls: () => calls,
    masker: {
      mask(text) {
        calls += 1;
        return real.mask(text);
      },
      maskAsync(text, given) {
        calls += 1;
        return real.maskAsync(text, given);
      },
    },
  };
}

test.each([
  { text: `clean ${"text ".repeat(1000)}`, counts: {} },
  { text: `${token} ${"text ".repeat(1000)}`, counts: { "gitlab-token": 1 } },
])("a long text is masked once: $counts", async ({ text, counts }) => {
  const { masker, calls } = countingMasker();
  const cache = createMaskingCache(masker);
  const first = cache.mask(text);
  expect(first).toEqual({ text: text.replace(token, "[redacted:gitlab-token]"), counts });
  expect(cache.mask(text)).toEqual(first);
  expect(await cache.maskAsync(text, pause)).toEqual(first);
  expect(calls()).toBe(1);
});

test("short texts are not kept", () => {
  const { masker, calls } = countingMasker();
  const cache = createMaskingCache(masker);
  cache.mask("short");
  cache.mask("short");
  expect(calls()).toBe(2);
});

test("what was used least recently is forgotten first", () => {
  const { masker, calls } = countingMasker();
  const cache = createMaskingCache(masker, 350);
  const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(3000));
  for (const text of texts.slice(0, 3)) cache.mask(text);
  cache.mask(texts[0] ?? "");
  cache.mask(texts[3] ?? "");
  expect(calls()).toBe(4);
  cache.mask(texts[0] ?? "");
  expect(calls()).toBe(4);
  cache.mask(texts[1] ?? "");
  expect(calls()).toBe(5);
});
