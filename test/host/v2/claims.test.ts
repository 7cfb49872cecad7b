import { describe, expect, it } from "vitest";

import { createClaims } from "../../../src/host/v2/claims.ts";

describe("claims on a location", () => {
  it("are served in order, one at a time", () => {
    const claims = createClaims();
    const working: string[] = [];
    const claim = (name: string, place = "/a") => claims.claim(place, () => void working.push(name));
    const [first, second, third] = [claim("first"), claim("second"), claim("third")];
    const elsewhere = claim("elsewhere", "/b");
    expect(working).toEqual(["first", "elsewhere"]);
    expect([first, second, third, elsewhere].map(({ active }) => active)).toEqual([true, false, false, true]);
    second.release();
    expect(working).toEqual(["first", "elsewhere"]);
    first.release();
    first.release();
    expect(working).toEqual(["first", "elsewhere", "third"]);
    third.release();
    expect(claim("fourth").active).toBe(true);
  });

  it("tell one use of a function from the next", () => {
    const claims = createClaims();
    let times = 0;
    const activate = () => void (times += 1);
    const first = claims.claim("/a", activate);
    const second = claims.claim("/a", activate);
    expect([first.active, second.active, times]).toEqual([true, false, 1]);
    first.release();
    expect([second.active, times]).toEqual([true, 2]);
  });
});
