import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Database, SqliteDriver, SqlStatement } from "../../src/sqlite/database.ts";
import { buildConversation, buildSession } from "../support/builders.ts";
import { openTestIndex, removeFolder, rows, store, temporaryFolder, testDriver, withDigests } from "./opened-index.ts";

let directory = "";
beforeEach(() => (directory = temporaryFolder()));
afterEach(() => removeFolder(directory));

/** A driver whose connections tell which statements they are given. */
function recordingDriver(given: SqlStatement[]): SqliteDriver {
  const driver = testDriver();
  return {
    ...driver,
    open(options) {
      const database = driver.open(options);
      const recording: Database = {
        get inTransaction() {
          return database.inTransaction;
        },
        all(statement) {
          given.push(statement);
          return database.all(statement);
        },
        run(statement) {
          given.push(statement);
          return database.run(statement);
        },
        iterate: (statement) => database.iterate(statement),
        exec: (text) => database.exec(text),
        close: () => database.close(),
      };
      return recording;
    },
  };
}

/** A step that reads all documents there are, or all of a session. */
const READS_ALL = /SCAN documents\b|SEARCH documents\b.*\(session_key=\?\)/u;

describe("the statements of a refresh", () => {
  it("find messages by their ids, however many the session has", async () => {
    const given: SqlStatement[] = [];
    const index = await openTestIndex(directory, { driver: recordingDriver(given) });
    await store(index, buildSession(), buildConversation("ses_1", 8, { prefix: "m" }));
    given.length = 0;
    const refresh = await index.open(buildSession({ title: "Renamed" }));
    const changed = buildConversation("ses_1", 4, { prefix: "m", text: (n) => `changed ${n}` });
    expect(await refresh?.digests(["m_0001", "m_0002", "m_unknown"])).toHaveProperty("size", 2);
    await refresh?.put(withDigests(changed));
    await refresh?.removeMessages(["m_0005"]);
    await refresh?.finish(new Set(changed.map(({ id }) => id)));
    const asked = given.filter(({ text }) => /^(?:SELECT|UPDATE|DELETE|WITH)\b.*\bdocuments\b/su.test(text));
    const plans = asked.map(({ text, parameters }) => ({
      text,
      steps: rows(index, { text: `EXPLAIN QUERY PLAN ${text}`, parameters }).map((row) => String(row["detail"])),
    }));
    expect(plans.filter(({ steps }) => steps.some((step) => step.includes("documents_by_message")))).not.toEqual([]);
    expect(plans.filter(({ steps }) => steps.some((step) => READS_ALL.test(step)))).toEqual([]);
    await index.close();
  });
});
