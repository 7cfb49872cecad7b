import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createRawClient } from "../../../src/host/v1/raw-client.ts";
import { listSessions } from "../../../src/host/v1/session-listing.ts";
import { createFakeV1Client } from "../../support/fake-v1-client.ts";
import type { FakeAnswer, FakeRequest } from "../../support/fake-v1-client.ts";
import { createRecordingLogger } from "../../support/recording-logger.ts";

const never = new AbortController().signal;

interface Row {
  readonly id: string;
  readonly updated: number;
}

/** Pages as the host does: strictly older than the cursor, which names the last row's time. */
function answerAsHost(rows: readonly Row[], { query }: FakeRequest): FakeAnswer {
  const limit = Number(query["limit"]);
  const before = query["cursor"] === undefined ? Infinity : Number(query["cursor"]);
  const matching = rows.filter((row) => row.updated < before).sort((a, b) => b.updated - a.updated);
  const page = matching.slice(0, limit);
  return {
    body: page.map(({ id, updated }) => ({ id, time: { created: 1, updated } })),
    headers: matching.length > limit ? { "x-next-cursor": String(page.at(-1)?.updated) } : {},
  };
}

async function list(answer: (request: FakeRequest) => FakeAnswer, pageSize?: number) {
  const { client, requests } = createFakeV1Client(answer);
  const log = createRecordingLogger();
  const ids: string[] = [];
  for await (const page of listSessions(createRawClient(client), log, never, pageSize)) {
    ids.push(...page.map((session) => session.id));
  }
  return { ids, requests, log };
}

describe("listing the sessions of 1.18", () => {
  it("asks for all projects, children and archived ones", async () => {
    const { requests } = await list(() => ({ body: [] }));
    expect(requests.map((request) => request.path)).toEqual(["/experimental/session"]);
    expect(requests[0]?.query).toMatchObject({ archived: "true", directory: "" });
  });

  it("loses no session that shares its instant with the end of a page, and gives none twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (times, pageSize) => {
          const rows = times.map((updated, index) => ({ id: `ses_${index}`, updated }));
          const { ids } = await list((request) => answerAsHost(rows, request), pageSize);
          expect([...ids].sort()).toEqual(rows.map((row) => row.id).sort());
        },
      ),
    );
  });

  it("finds a session that moved to the top while its page was still to come", async () => {
    const rows = Array.from({ length: 9 }, (_, index) => ({ id: `ses_${index}`, updated: 100 - index * 10 }));
    let asked = 0;
    const { ids } = await list((request) => {
      asked += 1;
      if (asked === 2) rows.push({ id: rows.pop()?.id ?? "", updated: 200 });
      return answerAsHost(rows, request);
    }, 3);
    expect([...ids].sort()).toEqual(rows.map((row) => row.id).sort());
  });

  it("leaves out a row without an id, and says so", async () => {
    const { ids, log } = await list(() => ({ body: [{ title: "no id" }, { id: "ses_1" }] }));
    expect(ids).toEqual(["ses_1"]);
    expect(log.lines.map((line) => line.fields)).toEqual([{ dropped: 1 }]);
  });

  it.each([[404], [400]])("lists the current project where the other route is answered with %d", async (status) => {
    const { ids, requests, log } = await list(({ path }) =>
      path === "/session" ? { body: [{ id: "ses_1" }] } : { status, body: {} },
    );
    expect(ids).toEqual(["ses_1"]);
    expect(requests.map((request) => request.path)).toEqual(["/experimental/session", "/session"]);
    expect(log.lines.map((line) => line.level)).toEqual(["warn"]);
  });

  it.each<[string, FakeAnswer, string]>([
    ["a failure of the host", { status: 503, body: {} }, "unavailable"],
    ["an answer that is no list", { body: { sessions: [] } }, "bad-response"],
    ["a cursor that is no time", { body: [{ id: "ses_1" }], headers: { "x-next-cursor": "soon" } }, "bad-response"],
    ["a cursor that leads nowhere", { body: [{ id: "ses_1" }], headers: { "x-next-cursor": "5" } }, "repeated-cursor"],
  ])("%s is a HostError", async (_, answer, code) => {
    await expect(list(() => answer)).rejects.toMatchObject({ name: "HostError", code });
  });
});
