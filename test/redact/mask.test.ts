import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createMasker } from "../../src/redact/mask.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { startTimeSlice } from "../../src/runtime/time-slice.ts";
import { alphanumeric, base64, hex, KINDS, randomText } from "./secrets.ts";

const masker = createMasker();
const full = process.env["HISTORY_TEST_SIZE"] === "full";

describe("masks secrets", () => {
  const secrets = KINDS.flatMap(({ kind, secrets: examples }) => examples.map((example) => ({ kind, ...example })));
  test.each(secrets)("$kind in $text", ({ kind, secret, text }) => {
    const masked = masker.mask(text);
    expect(masked.text).toBe(text.replace(secret, `[redacted:${kind}]`));
    expect(masked.counts).toEqual({ [kind]: 1 });
  });

  const harmless = KINDS.flatMap(({ kind, harmless: texts }) => texts.map((text) => ({ kind, text })));
  test.each(harmless)("but leaves what only resembles $kind: $text", ({ text }) => {
    expect(masker.mask(text)).toEqual({ text, counts: {} });
  });
});

describe("leaves ordinary text alone", () => {
  const corpora = [
    { name: "base64 images", make: (seed: number) => `data:image/png;base64,${randomText(30_000, base64, seed)}\n` },
    { name: "hashes", make: (seed: number) => `${randomText(40, hex, seed)} ${randomText(64, hex, seed + 1)}  a.ts\n` },
    {
      name: "UUIDs",
      make: (seed: number) => `${[8, 4, 4, 4, 12].map((n) => randomText(n, hex, seed + n)).join("-")}\n`,
    },
    {
      name: "lock files",
      make: (seed: number) =>
        `"node_modules/p${seed}": { "version": "1.0.${seed}", "integrity": "sha512-${randomText(86, base64, seed)}==" },\n`,
    },
    {
      name: "code",
      make: (seed: number) =>
        `const token${seed} = await getToken(user.id, { password: input.password, secret: config.auth.secret2 });\n` +
        `if (token.kind === Kind.Key${seed}) throw new Error(\`no apiKey: \${name${seed}}\`);\n` +
        `password = os.environ["DB_PASSWORD_${seed}"]  # token: see https://example.org:80${seed}/@me\n`,
    },
  ];
  /** Characters for each corpus: 50 MB in all in a full run. */
  const size = full ? 10_000_000 : 400_000;

  test.each(corpora)("of $name: at most one mask a MB", ({ make }) => {
    const lines: string[] = [];
    for (let length = 0, seed = 1; length < size; seed += 1) {
      const line = make(seed);
      lines.push(line);
      length += line.length;
    }
    const { counts } = masker.mask(lines.join(""));
    const masks = Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect({ counts, fewEnough: masks <= size / 1_000_000 }).toEqual({ counts, fewEnough: true });
  });
});

describe("looks at long texts in windows", () => {
  const secret = `ghp_a1${randomText(34, alphanumeric, 3)}`;

  test("and finds a secret wherever a window ends", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 70_000 }), fc.integer({ min: 0, max: 40_000 }), (before, after) => {
        const small = createMasker({ windowLength: 20_000 });
        const filler = "lorem ipsum ".repeat(7000);
        const text = `${filler.slice(0, before)} ${secret} ${filler.slice(0, after)}`;
        expect(small.mask(text)).toEqual({
          text: text.replace(secret, "[redacted:github-token]"),
          counts: { "github-token": 1 },
        });
      }),
      { numRuns: 40 },
    );
  });

  test("and finds one that is known by what stands before it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 70_000 }), fc.integer({ min: 0, max: 3000 }), (before, between) => {
        const small = createMasker({ windowLength: 20_000 });
        const filler = "lorem ipsum ".repeat(6000);
        const text = `${filler.slice(0, before)}\ncurl ${filler.slice(0, between)} -u me:letmein ${filler}`;
        expect(small.mask(text)).toEqual({
          text: text.replace("letmein", "[redacted:password]"),
          counts: { password: 1 },
        });
      }),
      { numRuns: 40 },
    );
  });

  test("with the same outcome when it yields in between", async () => {
    const text = KINDS.flatMap(({ secrets }) => secrets.map((example) => example.text)).join("\n, ");
    const slice = startTimeSlice(systemClock, 0);
    expect(await masker.maskAsync(text.repeat(20), slice)).toEqual(masker.mask(text.repeat(20)));
  });

  test("and changes nothing when run again on its own output", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom(...KINDS.flatMap((kind) => kind.secrets.map((s) => s.text))))),
        (pieces) => {
          const once = masker.mask(pieces.join(" ")).text;
          expect(masker.mask(once)).toEqual({ text: once, counts: {} });
        },
      ),
    );
  });
});

describe("comes to an end on 1 MB", () => {
  const runs = [
    "a",
    "_",
    " ",
    "\\",
    '"',
    "'",
    "password: ",
    'password="',
    "password='a",
    "token=",
    "token=a1&",
    "1token=",
    'token="${',
    "TOKEN='a(",
    "curl ",
    'curl "',
    "curl \\\"'",
    "curl -u a:",
    " -u a:b",
    "mysql -p",
    'mysql -p"\\',
    "machine ",
    "machine a login b ",
    "machine a login login password ",
  ];
  test.each(runs)("of %j, and finds no more in a second run", (run) => {
    const once = masker.mask(run.repeat(1_000_000 / run.length)).text;
    expect(masker.mask(once)).toEqual({ text: once, counts: {} });
  });
});

test.each(["password=[redacted:password] = Zq93kd8s1", 'curl -u "[redacted:stripe-key]" http://x'])(
  "a mask is neither a name nor a user: %s",
  (text) => {
    expect(masker.mask(text)).toEqual({ text, counts: {} });
  },
);

test("a masker that is given no rules masks nothing", () => {
  const text = KINDS[0]?.secrets[0]?.text ?? "";
  expect(text).not.toBe("");
  expect(createMasker({ rules: [] }).mask(text)).toEqual({ text, counts: {} });
});
