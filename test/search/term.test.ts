import { describe, expect, test } from "vitest";

import { DocumentList } from "../../src/search/document-list.ts";
import { createTerm, postingsKeys } from "../../src/search/term.ts";
import { documentIds } from "../../src/search-index/document-id.ts";

function ways(text: string): readonly string[] {
  return postingsKeys(createTerm(text).folded).map((key) =>
    key.kind === "prefix" ? `${key.prefix}…` : key.trigrams.join(" "),
  );
}

describe("the ways into the postings", () => {
  test.each([
    ["", []],
    ["x", ["x…"]],
    ["Go", ["go…"]],
    ["部署", ["部署…"]],
    ["🤖🤖", ["🤖🤖…"]],
    ["部署方", ["部署方"]],
    ["🤖go", ["🤖go"]],
    ["aaaa", ["aaa"]],
    ["Caf\u00e9s", ["caf", "afe", "fes"]],
  ])("of %j are %j", (text, expected) => {
    expect(ways(text).toSorted()).toEqual(expected.toSorted());
  });

  test("begin with what should be the rarest", () => {
    expect(ways("the quiz")[0]).toBe("uiz");
    expect(ways("error部署")[0]).toBe("r部署");
  });
});

function id(session: number, document: number): number {
  return documentIds(session).from + document;
}

describe("a list of documents", () => {
  const list = new DocumentList([id(7, 1), id(3, 0), id(7, 0), id(3, 2 ** 24 - 1)]);

  test("knows its sessions", () => {
    expect([...list.sessions]).toEqual([3, 7]);
  });

  test.each([
    [3, [id(3, 0), id(3, 2 ** 24 - 1)]],
    [7, [id(7, 0), id(7, 1)]],
    [4, []],
    [8, []],
  ])("gives those of session %d", (session, expected) => {
    expect(list.ofSession(session)).toEqual(expected);
  });
});
