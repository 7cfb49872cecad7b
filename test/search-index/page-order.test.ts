import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { DocumentDraft } from "../../src/search-index/message-draft.ts";
import { inPageOrder } from "../../src/search-index/page-order.ts";

function draft(messageId: string, length: number): DocumentDraft {
  return { messageId, chunk: 0, role: 1, createdAt: 0, text: "x".repeat(length), folded: "", head: null };
}

function lengths(drafts: readonly DocumentDraft[]): number[] {
  return drafts.map(({ text }) => text.length);
}

describe("the order of documents in pages", () => {
  it.each([
    ["puts together what fills a page", [3000, 3000, 900, 900], 0, [3000, 900, 3000, 900]],
    ["fills the page begun before", [3000, 900], 1000, [900, 3000]],
    ["leaves alone a page begun before that has too little room", [3000, 900], 500, [3000, 900]],
    ["leaves the page with most room for what comes next", [500, 3900], 0, [3900, 500]],
    ["counts of a long text only what stays in the row's page", [489 + 4092, 3400], 0, [3400, 489 + 4092]],
  ])("%s", (_what, given, room, expected) => {
    expect(
      lengths(
        inPageOrder(
          given.map((length) => draft("m", length)),
          room,
        ).drafts,
      ),
    ).toEqual(expected);
  });

  it("tells the room left on the last page", () => {
    const { room } = inPageOrder([draft("msg_1", 1000)], 0);
    expect(room).toBeGreaterThan(2900);
    expect(room).toBeLessThan(3088);
    expect(inPageOrder([], 700)).toEqual({ drafts: [], room: 700 });
  });

  it("keeps every document, whatever their sizes", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(16_384), { maxLength: 64 }), fc.nat(4088), (sizes, room) => {
        const drafts = sizes.map((size, index) => draft(`msg_${index}`, size));
        const ordered = inPageOrder(drafts, room);
        expect(new Set(ordered.drafts)).toEqual(new Set(drafts));
        expect(ordered.drafts).toHaveLength(drafts.length);
        expect(ordered.room).toBeGreaterThanOrEqual(0);
        expect(ordered.room).toBeLessThanOrEqual(4088);
      }),
    );
  });
});
