import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { type FileSystem, nodeFileSystem } from "../../src/archive/file-system.ts";
import { buildConversation, userMessage } from "../support/builders.ts";
import { fullPass, Harness, update } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.make();
});
afterEach(() => harness.dispose());

const idsOf = async (name: string) => (await harness.json(name)).turns.map(({ messageId }) => messageId);

describe("two processes on one folder", () => {
  test("add to each other's file instead of replacing it", async () => {
    const [one, other] = [harness.open(), harness.open()];
    const session = harness.session();
    await fullPass(one, session, [userMessage("msg_1", "first")]);
    await one.flush();
    await update(other, session, [userMessage("msg_2", "second")]);
    await update(one, session, [userMessage("msg_3", "third")]);
    await other.flush();
    await one.flush();
    expect(await idsOf("ses_1.json")).toEqual(["msg_1", "msg_2", "msg_3"]);
    await update(other, session, [userMessage("msg_4", "fourth")]);
    await other.flush();
    expect(await idsOf("ses_1.json")).toEqual(["msg_1", "msg_2", "msg_3", "msg_4"]);
  });

  test("learn at the next listing what the other one wrote", async () => {
    const [one, other] = [harness.open(), harness.open()];
    const session = harness.session();
    await fullPass(one, session, [userMessage("msg_1", "first")]);
    await one.flush();
    await update(other, session, [userMessage("msg_2", "second")]);
    await other.flush();
    const refresh = await one.open(session);
    expect([refresh?.storedMessages, refresh?.complete]).toEqual([2, true]);
    expect([...((await refresh?.digests(["msg_1", "msg_2"])) ?? [])].length).toBe(2);
  });

  test("do not put an older state over a newer one", async () => {
    const [one, other] = [harness.open(), harness.open()];
    await fullPass(one, harness.session(), [userMessage("msg_1", "first")]);
    await one.flush();
    await update(one, harness.session({ title: "older" }), [userMessage("msg_1", "older")]);
    harness.clock.time += 1000;
    await update(other, harness.session({ title: "newer" }), [userMessage("msg_1", "newer")]);
    await other.flush();
    await one.flush();
    const file = await harness.json("ses_1.json");
    expect([file.title, file.turns[0]?.parts[0]?.["text"]]).toEqual(["newer", "newer"]);
  });

  test("keep a deletion that the other one has seen", async () => {
    const [one, other] = [harness.open(), harness.open()];
    await fullPass(one, harness.session(), [userMessage("msg_1", "first")]);
    await one.flush();
    await update(other, harness.session(), [userMessage("msg_2", "second")]);
    await one.remove("ses_1", harness.clock.time);
    await one.flush();
    await other.flush();
    expect((await harness.json("ses_1.json")).deletedAt).toBe("2026-07-29T12:00:00.000Z");
    expect(await other.open(harness.session())).toBeNull();
  });

  test("keep a removal, and what each of them was told of permissions", async () => {
    const [one, other] = [harness.open(), harness.open()];
    const session = harness.session();
    await fullPass(one, session, buildConversation("ses_1", 4));
    await one.flush();
    const question = { sessionId: "ses_1", at: harness.clock.time, permission: "bash", command: null, question: null };
    other.onEvent({ type: "permission-asked", requestId: "per_1", ...question });
    one.onEvent({ type: "permission-asked", requestId: "per_2", ...question });
    const removal = await other.open(session);
    harness.clock.time += 1000;
    await removal?.removeMessages(["msg_ses_1_0004"]);
    await removal?.finish(null);
    await one.flush();
    await other.flush();
    const file = await harness.json("ses_1.json");
    expect(file.turns.length).toBe(3);
    expect(file.removedTurns.length).toBe(1);
    expect(file.permissions.map(({ requestId }) => requestId).sort()).toEqual(["per_1", "per_2"]);
  });
});

/** File systems of two processes: both look whether they may replace `path` before either does, the second one last. */
function renamingTogether(path: string): readonly [FileSystem, FileSystem] {
  const [firstLooked, secondLooked, firstRenamed, secondRenamed] = [signal(), signal(), signal(), signal()];
  const once = (before: () => Promise<void>, after: () => Promise<void>): FileSystem => {
    let met = false;
    return {
      ...nodeFileSystem,
      async rename(from, to) {
        const meets = !met && to === path;
        met ||= meets;
        if (meets) await before();
        await nodeFileSystem.rename(from, to);
        if (meets) await after();
      },
    };
  };
  return [
    once(
      async () => {
        firstLooked.give();
        await secondLooked.given;
      },
      async () => {
        firstRenamed.give();
        await secondRenamed.given;
      },
    ),
    once(
      async () => {
        secondLooked.give();
        await firstLooked.given;
        await firstRenamed.given;
      },
      async () => secondRenamed.give(),
    ),
  ];
}

function signal(): { readonly given: Promise<void>; give(): void } {
  const waiting: (() => void)[] = [];
  const given = new Promise<void>((resolve) => {
    waiting.push(resolve);
  });
  return { given, give: () => waiting.forEach((resolve) => resolve()) };
}

describe("two processes that replace a session's file at the same moment", () => {
  test.each([
    ["there is no file yet", false],
    ["there is one", true],
  ])("keep the later state and what each of them was told, when %s", async (_name, exists) => {
    if (exists) {
      const before = harness.open();
      await fullPass(before, harness.session(), [userMessage("msg_1", "first")]);
      await before.dispose();
    }
    const [winning, overwriting] = renamingTogether(harness.path("ses_1.json"));
    const [later, older] = [harness.open({ fileSystem: winning }), harness.open({ fileSystem: overwriting })];
    const question = { sessionId: "ses_1", at: harness.clock.time, permission: "bash", command: null, question: null };
    await update(older, harness.session({ title: "older" }), [
      userMessage("msg_1", "older"),
      userMessage("msg_2", "second"),
    ]);
    harness.clock.time += 1000;
    await update(later, harness.session({ title: "later" }), [
      userMessage("msg_1", "later"),
      userMessage("msg_3", "third"),
    ]);
    later.onEvent({ type: "permission-asked", requestId: "per_1", ...question });
    await Promise.all([later.flush(), older.flush()]);
    const file = await harness.json("ses_1.json");
    expect(file.title).toBe("later");
    expect(file.turns.map(({ parts }) => parts[0]?.["text"])).toEqual(["later", "second", "third"]);
    expect(file.permissions.map(({ requestId }) => requestId)).toEqual(["per_1"]);
    expect(await harness.names()).toEqual([".gitignore", ".ignore", "index.json", "ses_1.json"]);
  });

  test("lose nothing, however often they do", async () => {
    for (const id of ["ses_1", "ses_2", "ses_3", "ses_4", "ses_5"]) {
      const archives = [harness.open(), harness.open(), harness.open()];
      await Promise.all(
        archives.map(async (archive, process) => {
          for (const step of [1, 2, 3, 4]) {
            harness.clock.time += 1;
            await update(archive, harness.session({ id }), [userMessage(`msg_${process}_${step}`, "words")]);
            await archive.flush();
          }
        }),
      );
      expect(new Set(await idsOf(`${id}.json`)).size).toBe(12);
    }
  });
});

describe("the list of sessions", () => {
  test("has all of 20 sessions that three processes created at once (case 46)", async () => {
    const archives = [harness.open(), harness.open(), harness.open()];
    const sessions = Array.from({ length: 20 }, (_, index) => harness.session({ id: `ses_${index}` }));
    await Promise.all(
      sessions.map(async (session, index) => {
        const archive = archives[index % archives.length];
        archive?.onEvent({ type: "session-created", sessionId: session.id, session });
        await archive?.flush();
      }),
    );
    expect((await harness.list()).map(({ id }) => id).sort()).toEqual(sessions.map(({ id }) => id).sort());
  });

  test("is derived again when it is missing or wrong", async () => {
    const archive = harness.open();
    await fullPass(archive, harness.session(), []);
    await archive.flush();
    const { rm, writeFile } = await import("node:fs/promises");
    await rm(harness.path("index.json"));
    const second = harness.open();
    await second.outdated([]);
    await second.flush();
    expect((await harness.list()).length).toBe(1);
    await writeFile(harness.path("index.json"), '{"sessions": [');
    const third = harness.open();
    await third.outdated([]);
    await third.flush();
    expect((await harness.list()).length).toBe(1);
  });
});
