import * as fc from "fast-check";
import { expect, test } from "vitest";

import type { HostReader, PageCursor } from "../../src/host/host.ts";
import { HostError } from "../../src/host/host.ts";
import { createV1Host } from "../../src/host/v1/host.ts";
import { createReader } from "../../src/host/v2/reader.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { recordedV2 } from "../host/v2/recorded-v2.ts";
import { createFakeV1Client, type FakeAnswer } from "../support/fake-v1-client.ts";
import { loadRecording } from "../support/recording.ts";
import { MANY_CASES } from "../support/test-size.ts";
import { hold } from "./hold.ts";
import { mutated, mutations, wrongValues } from "./mutations.ts";

/** What calls of a reader may end in: something of the right shape, null, or a HostError. */
async function outcomes(reader: HostReader): Promise<string[]> {
  const { signal } = new AbortController();
  const listed = async (): Promise<string> => {
    const ids: string[] = [];
    for await (const page of reader.sessions(signal)) ids.push(...page.map(({ id }) => id));
    return ids.every((id) => id !== "") ? "sound" : "an empty id";
  };
  const read = async (before: PageCursor | null): Promise<string> => {
    const page = await reader.messages("ses_1", { before, limit: 10 }, signal);
    return page === null || page.messages.every(({ id, parts }) => id !== "" && Array.isArray(parts))
      ? "sound"
      : "no message";
  };
  const calls = [
    listed,
    () => read(null),
    () => read(reader.cursorBefore({ id: "msg_1", createdAt: 1 })),
    async () => ((await reader.session("ses_1", signal))?.id === "" ? "an empty id" : "sound"),
    async () => ((await reader.message("ses_1", "msg_1", signal))?.id === "" ? "an empty id" : "sound"),
  ];
  return Promise.all(
    calls.map(async (call) => {
      try {
        return await call();
      } catch (error) {
        return error instanceof HostError ? "sound" : String(error);
      }
    }),
  );
}

const SOUND = Array.from({ length: 5 }, () => "sound");

/** Pages, single items, cut JSON, wrong statuses, cursors that repeat, and no answer at all. */
function httpAnswers(): fc.Arbitrary<FakeAnswer | null> {
  const { sessions } = loadRecording("files");
  const payloads = [
    sessions.map(({ session }) => session),
    sessions[0]?.messages,
    sessions[0]?.session,
    sessions[0]?.messages[0],
  ];
  const body = fc.oneof(
    fc.tuple(fc.constantFrom(...payloads), mutations(3)).map(([payload, changes]) => mutated(payload, changes)),
    fc.tuple(fc.constantFrom(...payloads), fc.nat({ max: 99 })).map(([payload, share]) => {
      const text = JSON.stringify(payload);
      return text.slice(0, Math.floor((text.length * share) / 100));
    }),
    wrongValues(),
    fc.constantFrom("", "<html>", "null", "[]", "{"),
  );
  const cursors = ["5", "5", "4", "1e99", "-1", "x", "", "abc"];
  return fc.option(
    fc.record({
      status: fc.constantFrom(200, 200, 200, 200, 204, 400, 401, 404, 429, 500, 503),
      body,
      headers: fc
        .option(fc.constantFrom(...cursors), { freq: 2 })
        .map((cursor): Record<string, string> => (cursor === null ? {} : { "x-next-cursor": cursor })),
    }),
    { freq: 8 },
  );
}

test("whatever OpenCode 1.18 answers, a call ends in something sound or in a HostError", MANY_CASES, async () => {
  await hold(
    fc.asyncProperty(fc.array(httpAnswers(), { minLength: 1, maxLength: 6 }), async (answers) => {
      let calls = 0;
      const { client } = createFakeV1Client(() => {
        const answer = answers[calls % answers.length] ?? null;
        calls += 1;
        if (answer === null) throw new TypeError("fetch failed");
        return answer.status === 204 ? { ...answer, status: 200, body: "" } : answer;
      });
      const host = createV1Host({
        client,
        project: { id: "p", worktree: "/w", time: { created: 1 } },
        directory: "/w",
        worktree: "/w",
      });
      expect(await outcomes(host)).toEqual(SOUND);
    }),
    { bounded: 150, full: 10_000 },
  );
});

/** Answers as the service gives them (wrapped) or the context's methods (bare). */
function apiAnswers(): fc.Arbitrary<unknown> {
  const recorded = recordedV2("every-message-type");
  const next = fc.constantFrom<unknown>(null, "a", "a", "b", "", 7, {});
  const page = fc
    .record({ recorded: fc.constant(recorded), changes: mutations(3), next, isMessages: fc.boolean() })
    .map(({ changes, next: cursor, isMessages }) => {
      const changed = mutated(recorded, changes);
      const { session, messages } = { session: null, messages: null, ...(typeof changed === "object" ? changed : {}) };
      return { data: isMessages ? messages : [session], cursor: { next: cursor } };
    });
  const single = mutations(3).map((changes) => ({ data: mutated(recorded, changes) }));
  return fc.oneof(page, single, wrongValues(), fc.constantFrom(new Error("500"), new HostError("unavailable", "gone")));
}

test("whatever OpenCode 2.x answers, a call ends in something sound or in a HostError", MANY_CASES, async () => {
  await hold(
    fc.asyncProperty(fc.array(apiAnswers(), { minLength: 1, maxLength: 6 }), async (answers) => {
      let calls = 0;
      const answer = async (): Promise<unknown> => {
        const next = answers[calls % answers.length];
        calls += 1;
        if (next instanceof Error) throw next;
        return next;
      };
      const reader = createReader(
        { sessions: answer, session: answer, messages: answer, message: answer },
        silentLogger,
      );
      expect(await outcomes(reader)).toEqual(SOUND);
    }),
    { bounded: 150, full: 10_000 },
  );
});
