import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { SearchIndex } from "../../src/search-index/search-index.ts";
import { sql } from "../../src/sqlite/sql.ts";
import type { SessionSink } from "../../src/sync/sink.ts";

import { buildConversation, buildSession } from "../support/builders.ts";
import { openTestIndex, removeFolder, rows, store, temporaryFolder } from "./opened-index.ts";

let directory = "";
let index: SearchIndex;
beforeEach(async () => {
  directory = temporaryFolder();
  index = await openTestIndex(directory);
});
afterEach(async () => {
  await index.close();
  removeFolder(directory);
});

const texts = () => rows(index, sql`SELECT text FROM documents ORDER BY id`).map((row) => row["text"]);

describe("search index as a sink", () => {
  it("keeps the messages and the title of a session, each findable by its trigrams", async () => {
    const sink: SessionSink = index;
    expect(sink.name).toBe("index");
    const session = buildSession({ title: "Fix login" });
    await store(index, session, buildConversation(session.id, 3, { text: (n) => `needle ${n}` }));
    expect(texts()).toEqual(["Fix login", "needle 0", "needle 1", "needle 2"]);
    expect(rows(index, sql`SELECT rowid FROM postings WHERE postings MATCH ${'"nee"'}`)).toHaveLength(3);
    expect(await index.outdated([session])).toEqual(new Set());
  });
});
