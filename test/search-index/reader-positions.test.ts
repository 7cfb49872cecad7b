import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";

import { createMessagePositions, isIndexFailure } from "../../src/search-index/reader-positions.ts";
import { DOCUMENT_ROLE, SCHEMA } from "../../src/search-index/schema.ts";
import type { MessageRole } from "../../src/session/session.ts";
import type { Database } from "../../src/sqlite/database.ts";
import { SqliteError } from "../../src/sqlite/database.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { sql } from "../../src/sqlite/sql.ts";
import { positionsOf } from "../support/reading.ts";
import { BUILT_AT, buildMessage } from "../support/builders.ts";

const driver = await loadDriver();
const open: Database[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

/** An index in memory that holds one session's messages, each in two chunks, its title, and another session. */
function indexOf(messages: readonly { id: string; role: MessageRole | null; createdAt: number }[], complete: boolean) {
  const database = driver.open({ path: ":memory:", readOnly: false, busyTimeoutMs: 0 });
  open.push(database);
  database.exec(SCHEMA);
  let id = 0;
  const addSession = (key: number, sessionId: string) =>
    database.run(
      sql`INSERT INTO sessions (key, id, source, project_id, directory, title, created_at, updated_at, complete, stamp)
        VALUES (${key}, ${sessionId}, 'v1', 'project-1', '/w/app', '', 0, 0, ${complete ? 1 : 0}, 1)`,
    );
  const addDocument = (key: number, messageId: string, chunk: number, role: number, createdAt: number) =>
    database.run(
      sql`INSERT INTO documents (id, session_key, message_id, chunk, role, created_at, stamp, text)
        VALUES (${(id += 1)}, ${key}, ${messageId}, ${chunk}, ${role}, ${createdAt}, 1, 'text')`,
    );
  addSession(1, "ses_1");
  addSession(2, "ses_2");
  addDocument(1, "", 0, DOCUMENT_ROLE.title, BUILT_AT);
  addDocument(2, "msg_other", 0, DOCUMENT_ROLE.user, BUILT_AT);
  for (const message of messages) {
    for (const chunk of [0, 1])
      addDocument(1, message.id, chunk, DOCUMENT_ROLE[message.role ?? "other"], message.createdAt);
  }
  let reads = 0;
  const index = {
    beginRead: () => {
      reads += 1;
      return database;
    },
    endRead: () => {
      reads -= 1;
    },
  };
  return { database, positions: createMessagePositions(index), openReads: () => reads };
}

describe("positions in the index", () => {
  it("are those of the messages in order, whatever is asked", () => {
    const messageSpecs = fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 0, max: 999 }).map((number) => `msg_${number}`),
        role: fc.constantFrom<(MessageRole | null)[]>("user", "assistant", null),
        createdAt: fc.integer({ min: 0, max: 20 }).map((ms) => BUILT_AT + ms),
      }),
      { selector: ({ id }) => id, maxLength: 30 },
    );
    fc.assert(
      fc.property(
        messageSpecs,
        fc.constantFrom<(MessageRole | null)[]>(null, "user", "assistant"),
        fc.nat({ max: 12 }),
        fc.option(
          fc.record({
            id: fc.constantFrom("msg_0", "msg_500"),
            createdAt: fc.integer({ min: BUILT_AT, max: BUILT_AT + 20 }),
          }),
        ),
        (specs, role, count, place) => {
          const { positions, openReads } = indexOf(specs, true);
          const reference = positionsOf(specs.map((spec) => buildMessage(spec)));
          expect(positions.after("ses_1", place, role, count)).toEqual(reference.after("ses_1", place, role, count));
          expect(positions.before("ses_1", place, role, count)).toEqual(reference.before("ses_1", place, role, count));
          for (const { id } of specs) expect(positions.find("ses_1", id)).toEqual(reference.find("ses_1", id));
          expect(openReads()).toBe(0);
          open.pop()?.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ["a complete session", "ses_1", true, true],
    ["a session whose first pass is not over", "ses_1", false, false],
    ["an unknown session", "ses_x", true, false],
  ])("say whether they are whole: %s", (_what, sessionId, complete, expected) => {
    expect(indexOf([], complete).positions.complete(sessionId)).toBe(expected);
  });

  it("forget a removed session", () => {
    const { database, positions } = indexOf([{ id: "msg_1", role: "user", createdAt: BUILT_AT }], true);
    expect(positions.find("ses_1", "msg_1")).not.toBeNull();
    database.run(sql`UPDATE sessions SET removed_at = 1 WHERE id = 'ses_1'`);
    expect(positions.complete("ses_1")).toBe(false);
    expect(positions.find("ses_1", "msg_1")).toBeNull();
    expect(positions.after("ses_1", null, null, 5)).toEqual([]);
  });

  it("are read in the order of the index, sorting only those of one time", () => {
    const { database } = indexOf([], true);
    const plan = database.all(
      sql`EXPLAIN QUERY PLAN SELECT message_id FROM documents WHERE session_key = 1 AND chunk = 0
        AND +role IN (1, 2) AND (created_at, message_id) > (1, 'a') ORDER BY created_at, message_id LIMIT 5`,
    );
    const details = plan.map((row) => String(row["detail"])).join("\n");
    expect(details).toContain("documents_by_time");
    // Not the whole order: "RIGHT PART" is what SQLite called the last terms before 3.43.
    expect(details).not.toMatch(/TEMP B-TREE FOR (?!LAST|RIGHT)/u);
  });

  it("know a failing index from other failures", () => {
    expect(isIndexFailure(new SqliteError("busy", "locked"))).toBe(true);
    expect(isIndexFailure(new Error("other"))).toBe(false);
  });
});
