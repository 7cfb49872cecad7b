import { describe, expect, it } from "vitest";

import { paginate } from "../../src/host/paginate.ts";

async function walk(pages: Readonly<Record<string, { items: number[]; next: string | null }>>) {
  const items: number[] = [];
  const fetchPage = async (cursor: string | null) => pages[cursor ?? "first"] ?? { items: [], next: null };
  for await (const page of paginate("numbers", fetchPage, new AbortController().signal)) items.push(...page);
  return items;
}

describe("paginate", () => {
  it("walks from the first page to the one without a next, empty pages included", async () => {
    const items = await walk({
      first: { items: [1, 2], next: "a" },
      a: { items: [], next: "b" },
      b: { items: [3], next: null },
    });
    expect(items).toEqual([1, 2, 3]);
  });

  it("gives up on a host that names a cursor it already gave", async () => {
    const pages = { first: { items: [1], next: "a" }, a: { items: [2], next: "b" }, b: { items: [3], next: "a" } };
    await expect(walk(pages)).rejects.toMatchObject({ code: "repeated-cursor" });
  });

  it("asks nothing once it is aborted", async () => {
    const pages = paginate(
      "numbers",
      async () => Promise.reject(new Error("asked")),
      AbortSignal.abort(new Error("off")),
    );
    await expect(pages.next()).rejects.toThrow("off");
  });
});
