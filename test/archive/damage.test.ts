import { mkdir, readFile, rm, writeFile } from "node:fs/promises";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { Archive } from "../../src/archive/archive.ts";
import { buildConversation, textPart, toolPart, assistantMessage } from "../support/builders.ts";
import { fullPass, Harness } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.make();
});
afterEach(() => harness.dispose());

const messages = [
  ...buildConversation("ses_1", 9, { text: (index) => `words of message ${index} — ünïcode 🤖 \u007f` }),
  assistantMessage("msg_tool", [textPart("done"), toolPart("bash", { command: "ls" }, { output: "a\nb" })], {
    createdAt: Date.UTC(2026, 6, 30),
  }),
];

/** Bytes in the middle of the fifth turn's text. */
const middle = (bytes: Buffer) => bytes.indexOf("words of message 4") + 8;

/** As when a few bytes of a sector are lost: the JSON stays sound. */
const replacing = (from: string, to: string) => (bytes: Buffer) => Buffer.from(bytes.toString().replace(from, to));

const damages: { name: string; damage: (bytes: Buffer) => Buffer; turns: number }[] = [
  { name: "empty", damage: () => Buffer.alloc(0), turns: 0 },
  { name: "another text", damage: () => Buffer.from("my notes\n"), turns: 0 },
  { name: "only NULs", damage: (bytes) => Buffer.alloc(bytes.length), turns: 0 },
  { name: "cut in the header", damage: (bytes) => bytes.subarray(0, 120), turns: 0 },
  { name: "cut in the middle", damage: (bytes) => bytes.subarray(0, middle(bytes)), turns: 5 },
  {
    name: "cut in the middle of a character",
    damage: (bytes) => bytes.subarray(0, bytes.indexOf("ünïcode", middle(bytes)) + 1),
    turns: 5,
  },
  { name: "without its last brace", damage: (bytes) => bytes.subarray(0, -3), turns: 10 },
  { name: "padded with NULs", damage: (bytes) => Buffer.concat([bytes, Buffer.alloc(4096)]), turns: 10 },
  {
    name: "with a hole of NULs",
    damage: (bytes) => Buffer.from(bytes).fill(0, middle(bytes), middle(bytes) + 6),
    turns: 10,
  },
  {
    name: "with a stray control character",
    damage: (bytes) => Buffer.from(bytes).fill(1, middle(bytes), middle(bytes) + 1),
    turns: 10,
  },
  { name: "with a time that is none", damage: replacing('"startedAt": "2026', '"startedAt": "{026'), turns: 10 },
  { name: "without an id", damage: replacing('"_id": "ses_1"', '"_{d": "ses_1"'), turns: 10 },
  {
    name: "with a turn that has no id",
    damage: replacing('"messageId": "msg_tool"', '"message{d": "msg_tool"'),
    turns: 9,
  },
  {
    name: "with the marks of a merge conflict",
    damage: (bytes) => {
      const text = bytes.toString();
      const at = text.indexOf("\n", middle(Buffer.from(text)));
      return Buffer.from(`${text.slice(0, at)}\n<<<<<<< HEAD\n=======\n>>>>>>> other${text.slice(at)}`);
    },
    turns: 9,
  },
];

describe("a damaged file", () => {
  test.each(damages)("that is $name is reported, kept, and rebuilt from the host", async ({ damage }) => {
    const session = harness.session();
    const first = harness.open();
    await fullPass(first, session, messages);
    await first.flush();
    const sound = await harness.json("ses_1.json");
    const damaged = damage(await readFile(harness.path("ses_1.json")));
    await writeFile(harness.path("ses_1.json"), damaged);

    const restarted = harness.open();
    expect(await restarted.outdated([session])).toEqual(new Set(["ses_1"]));
    await fullPass(restarted, session, messages);
    await restarted.flush();
    const { sync, ...rebuilt } = await harness.json("ses_1.json");
    const { sync: _, ...expected } = sound;
    expect(rebuilt).toEqual(expected);
    expect(sync.complete).toBe(true);
    expect(await readFile(harness.path("ses_1.json.damaged"))).toEqual(damaged);
    expect(await harness.text("sync-errors.log")).toMatch(/^\d{4}-\S+Z ses_1: The file was damaged \(.+\n$/u);
    expect(await restarted.outdated([session])).toEqual(new Set());
  });

  test.each(damages.filter(({ turns }) => turns > 0))(
    "that is $name keeps what can be read when the host has no such session",
    async ({ damage, turns }) => {
      const first = harness.open();
      await fullPass(first, harness.session(), messages);
      await first.flush();
      const sound = await harness.json("ses_1.json");
      const damaged = damage(await readFile(harness.path("ses_1.json")));
      await writeFile(harness.path("ses_1.json"), damaged);

      const restarted = harness.open();
      await restarted.outdated([]);
      await restarted.flush();
      expect(await readFile(harness.path("ses_1.json.damaged"))).toEqual(damaged);
      const file = await harness.json("ses_1.json");
      expect([file.recovered, file.id, file.title, file.sync.complete]).toEqual([
        true,
        "ses_1",
        "Fix the login",
        false,
      ]);
      // Every turn but the one that was hit is there, and as it was.
      const kept = file.turns.filter((turn) => turn.digest !== null);
      expect(file.turns.length).toBeGreaterThanOrEqual(turns - 1);
      expect(file.turns.length).toBeLessThanOrEqual(turns);
      expect(kept.length).toBeGreaterThanOrEqual(turns - 1);
      expect(sound.turns).toEqual(expect.arrayContaining(kept));
      expect((await harness.list()).length).toBe(1);
    },
  );
});

test.each(damages.filter(({ turns }) => turns === 0))(
  "of a file that is $name nothing but the bytes is kept when the host has no such session",
  async ({ damage }) => {
    const first = harness.open();
    await fullPass(first, harness.session(), messages);
    await first.flush();
    const damaged = damage(await readFile(harness.path("ses_1.json")));
    await writeFile(harness.path("ses_1.json"), damaged);
    const restarted = harness.open();
    await restarted.outdated([]);
    await restarted.flush();
    expect(await readFile(harness.path("ses_1.json.damaged"))).toEqual(damaged);
    expect(await restarted.fileOf("ses_1")).toBeNull();
    expect(await harness.list()).toEqual([]);
  },
);

const again = "the session is read from OpenCode again if it is still there.";
const until = "are kept until the session is read from OpenCode again.";

test.each([
  ["empty", `(it is empty) and nothing in it could be read. It is kept as ses_1.json.damaged; ${again}`],
  ["another text", `(it is not JSON) and nothing in it could be read. It is kept as ses_1.json.damaged; ${again}`],
  [
    "cut in the middle",
    `(it ends in the middle); 5 turns could be read and ${until} The damaged file is kept as ses_1.json.damaged.`,
  ],
  [
    "with a stray control character",
    `(it is not sound JSON); 10 turns could be read and ${until} The damaged file is kept as ses_1.json.damaged.`,
  ],
])("of a file that is %s the log says what is wrong, and where the bytes are", async (name, says) => {
  const first = harness.open();
  await fullPass(first, harness.session(), messages);
  await first.flush();
  const damaged = damages
    .find((candidate) => candidate.name === name)
    ?.damage(await readFile(harness.path("ses_1.json")));
  await writeFile(harness.path("ses_1.json"), damaged ?? "");
  const restarted = harness.open();
  await restarted.outdated([]);
  await restarted.flush();
  expect(await harness.text("sync-errors.log")).toBe(`2026-07-29T12:00:00.000Z ses_1: The file was damaged ${says}\n`);
});

test.each([
  ["U+007F and escaped NULs", (text: string) => text.replace("words of message 4", String.raw`a\u0000b${"\u007f"}`)],
  ["other indentation", (text: string) => JSON.stringify(JSON.parse(text))],
  ["the line ends of Windows", (text: string) => text.replaceAll("\n", "\r\n")],
])("a file with %s is not damaged", async (_name, edit) => {
  const session = harness.session();
  const first = harness.open();
  await fullPass(first, session, messages);
  await first.flush();
  await writeFile(harness.path("ses_1.json"), edit(await harness.text("ses_1.json")));
  const restarted = harness.open();
  expect(await restarted.outdated([session])).toEqual(new Set());
  await restarted.flush();
  expect(await harness.names()).toEqual([".gitignore", ".ignore", "index.json", "ses_1.json"]);
  expect((await harness.json("ses_1.json")).turns.length).toBe(messages.length);
});

test("somebody else's JSON in the folder is left alone", async () => {
  const archive = harness.open();
  await fullPass(archive, harness.session(), []);
  await archive.flush();
  await writeFile(harness.path("notes.json"), '{"mine": true}');
  await writeFile(harness.path("ses_1 copy.json"), await harness.text("ses_1.json"));
  const restarted = harness.open();
  await restarted.outdated([]);
  await restarted.flush();
  expect(await harness.text("notes.json")).toBe('{"mine": true}');
  expect((await harness.list()).length).toBe(1);
});

/** What the archive lists once it has followed the host, which has the one session. */
async function listing(archive: Archive): Promise<string[]> {
  const outdated = await archive.outdated([harness.session()]);
  if (outdated.has("ses_1")) await fullPass(archive, harness.session(), messages);
  await archive.flush();
  return (await harness.list()).map(({ id }) => id);
}

describe("a file of a session's name", () => {
  test.each([
    ["JSON, but no session", '{"mine": true}', "held no session"],
    ["a list", "[1, 2]", "held no session"],
    ["a text", '"words"', "held no session"],
  ])("that is %s makes room for the session, and is kept", async (_name, text, problem) => {
    await mkdir(harness.folder, { recursive: true });
    await writeFile(harness.path("ses_1.json"), text);
    const session = harness.session();
    const archive = harness.open();
    expect(await archive.outdated([session])).toEqual(new Set(["ses_1"]));
    await archive.flush();
    expect(await harness.text("ses_1.json")).toBe(text);
    await fullPass(archive, session, messages);
    await archive.flush();
    expect((await harness.json("ses_1.json")).turns.length).toBe(messages.length);
    expect(await harness.text("ses_1.json.damaged")).toBe(text);
    expect(await harness.text("sync-errors.log")).toMatch(new RegExp(`^\\S+ ses_1: .*${problem}.*\\n$`, "u"));
    expect(await archive.outdated([session])).toEqual(new Set());
    expect(await harness.open().outdated([session])).toEqual(new Set());
  });

  describe("whose _id was changed to another one", () => {
    test.each(["when it runs", "when it starts"])("is set aside, and the session written afresh, %s", async (when) => {
      const first = harness.open();
      await listing(first);
      const sound = await harness.text("ses_1.json");
      const changed = sound.replace('"_id": "ses_1"', '"_id": "ses_7"');
      await writeFile(harness.path("ses_1.json"), changed);
      if (when === "when it runs") harness.clock.skipped += 10_000;
      expect(await listing(when === "when it runs" ? first : harness.open())).toEqual(["ses_1"]);
      expect(await harness.names()).toEqual([
        ".gitignore",
        ".ignore",
        "index.json",
        "ses_1.json",
        "ses_1.json.damaged",
        "sync-errors.log",
      ]);
      expect((await harness.json("ses_1.json")).turns).toEqual(JSON.parse(sound).turns);
      expect(await harness.text("ses_1.json.damaged")).toBe(changed);
      expect(await harness.text("sync-errors.log")).toContain(
        "ses_1: The file of this session's name held session ses_7.",
      );
    });

    test("is left as it is, and told of, when the host has no such session", async () => {
      const first = harness.open();
      await listing(first);
      const changed = (await harness.text("ses_1.json")).replace('"_id": "ses_1"', '"_id": "ses_7"');
      await writeFile(harness.path("ses_1.json"), changed);
      const restarted = harness.open();
      await restarted.outdated([]);
      await restarted.flush();
      expect(await harness.list()).toEqual([]);
      expect(await harness.text("ses_1.json")).toBe(changed);
      expect(await harness.text("sync-errors.log")).toContain(
        "ses_1.json: The file says inside that it is session ses_7",
      );
    });
  });
});

test("a session's file that was removed comes back at the next listing, with what only it knew", async () => {
  const session = harness.session();
  const archive = harness.open();
  archive.onEvent({ type: "session-compacted", sessionId: "ses_1", at: Date.UTC(2026, 6, 30) });
  await fullPass(archive, session, messages);
  await archive.flush();
  const text = await harness.json("ses_1.json");
  await rm(harness.path("ses_1.json"));
  harness.clock.skipped += 10_000;
  expect(await archive.outdated([session])).toEqual(new Set(["ses_1"]));
  await fullPass(archive, session, messages);
  await archive.flush();
  const file = await harness.json("ses_1.json");
  expect([file.turns, file.compactedAt, file.sync.complete]).toEqual([text.turns, "2026-07-30T00:00:00.000Z", true]);
});

test("a file that is not named as sessions are is left as it is, whatever it holds", async () => {
  const archive = harness.open();
  await fullPass(archive, harness.session(), messages);
  await archive.dispose();
  await writeFile(harness.path("tsconfig.json"), "{ // a comment\n}\n");
  await writeFile(harness.path("ses_2.json"), "cut");
  const restarted = harness.open();
  await restarted.outdated([harness.session()]);
  await restarted.dispose();
  expect(await harness.text("tsconfig.json")).toBe("{ // a comment\n}\n");
  expect(await harness.names()).toContain("ses_2.json.damaged");
  expect(await harness.names()).not.toContain("tsconfig.json.damaged");
});
