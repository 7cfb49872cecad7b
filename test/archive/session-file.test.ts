import { existsSync } from "node:fs";
import { open, readFile } from "node:fs/promises";

import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { type FileSystem, nodeFileSystem } from "../../src/archive/file-system.ts";
import { jsonPieces } from "../../src/archive/json-text.ts";
import { scanSessionFile } from "../../src/archive/session-file-scan.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { startTimeSlice } from "../../src/runtime/time-slice.ts";
import { messageDigest } from "../../src/session/fingerprint.ts";
import { BUILT_AT, buildConversation, buildMessage, toolPart } from "../support/builders.ts";
import { fullPass, Harness, update } from "./harness.ts";

const full = process.env["HISTORY_TEST_SIZE"] === "full";

test("JSON text is what JSON.stringify makes of it, for any value and any length of text", () => {
  const long = fc
    .tuple(fc.string({ unit: "binary", minLength: 1 }), fc.nat(40_000))
    .map(([text, times]) => text.repeat(Math.ceil(times / text.length)));
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.record({ text: long, items: fc.array(long, { maxLength: 2 }) })),
      (value) => {
        expect([...jsonPieces(value)].join("")).toBe(JSON.stringify(value, null, 2));
      },
    ),
    { numRuns: 150 },
  );
});

describe("a file", () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await Harness.make();
  });
  afterEach(() => harness.dispose());

  test("that is changed in any way is what a file written at once would be", async () => {
    const text = fc.oneof(fc.string(), fc.constantFrom("\n    {\n", '\n  "turns": [', '\n      "parts": ', "\n    }"));
    const change = fc.record({
      put: fc.array(fc.record({ id: fc.nat(12), text, at: fc.nat(3) }), { maxLength: 6 }),
      removed: fc.array(fc.nat(12), { maxLength: 3 }),
      revert: fc.option(fc.nat(12)),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        run += 1;
        const id = `ses_${run}`;
        const archive = harness.open();
        let session = harness.session({ id });
        const live = new Map<string, ReturnType<typeof buildMessage>>();
        const removed = new Set<string>();
        for (const { put, removed: gone, revert } of changes) {
          session = harness.session({
            id,
            revert: revert === null ? null : { messageId: `msg_${revert}`, partId: null },
          });
          const messages = new Map(
            put.map(({ id: number, text: words, at }) => [
              `msg_${number}`,
              buildMessage({
                id: live.get(`msg_${number}`)?.id ?? `msg_${number}`,
                createdAt: live.get(`msg_${number}`)?.createdAt ?? BUILT_AT + at,
                parts: [words, toolPart(words, { [words]: words }, { output: words })],
              }),
            ]),
          );
          const refresh = await archive.open(session);
          await refresh?.put([...messages.values()].map((message) => ({ message, digest: messageDigest(message) })));
          for (const [key, message] of messages) {
            live.set(key, message);
            removed.delete(key);
          }
          const ids = gone.map((number) => `msg_${number}`).filter((key) => live.has(key));
          await refresh?.removeMessages(ids);
          for (const key of ids) {
            live.delete(key);
            removed.add(key);
          }
          await refresh?.finish(null);
          await archive.flush();
        }

        const fresh = `fresh_${run}`;
        await update(archive, { ...session, id: fresh }, [...live.values()]);
        await archive.flush();
        const changed = await harness.json(`${id}.json`);
        const atOnce = await harness.json(`${fresh}.json`);
        expect(changed.turns).toEqual(atOnce.turns);
        expect(new Set(changed.removedTurns.map(({ messageId }) => messageId))).toEqual(removed);
        // The places that the record kept are those that a reader finds.
        const written = await harness.text(`${id}.json`);
        expect(written).toBe(`${JSON.stringify(JSON.parse(written), null, 2)}\n`);
        await archive.dispose();
      }),
      { numRuns: full ? 200 : 25 },
    );
  });

  test("of a long session passes through a spool, newest page first", async () => {
    const count = full ? 20_000 : 3000;
    const spools: unknown[] = [];
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      open(...args: Parameters<FileSystem["open"]>) {
        if (String(args[0]).endsWith(".spool")) spools.push(args[0]);
        return nodeFileSystem.open(...args);
      },
    };
    const archive = harness.open({ fileSystem });
    const messages = buildConversation("ses_1", count, { text: (index) => `${index} `.repeat(400) });
    const refresh = await archive.open(harness.session());
    for (let end = count; end > 0; end -= 100) {
      const page = messages.slice(Math.max(0, end - 100), end);
      await refresh?.put(page.map((message) => ({ message, digest: messageDigest(message) })));
    }
    await refresh?.finish(new Set(messages.map(({ id }) => id)));
    await archive.flush();
    expect(spools.map((path) => existsSync(String(path)))).toEqual([false]);
    const file = await harness.json("ses_1.json");
    expect(file.turns.map(({ messageId }) => messageId)).toEqual(messages.map(({ id }) => id));
    expect(await harness.names()).toEqual([".gitignore", ".ignore", "index.json", "ses_1.json"]);
  });

  test("is scanned to the same places, whether read whole or in pieces", async () => {
    const archive = harness.open();
    const messages = buildConversation("ses_1", 30, { text: (index) => "x".repeat(index * 4000) });
    await fullPass(archive, harness.session(), messages);
    await archive.flush();
    const bytes = await readFile(harness.path("ses_1.json"));
    const handle = await open(harness.path("ses_1.json"));
    try {
      const scanned = await scanSessionFile(handle, { slice: startTimeSlice(systemClock), verify: true });
      const turns = scanned?.turns.map(({ start, end }) => JSON.parse(bytes.subarray(start, end).toString()).messageId);
      expect(turns).toEqual(messages.map(({ id }) => id));
    } finally {
      await handle.close();
    }
  });
});
