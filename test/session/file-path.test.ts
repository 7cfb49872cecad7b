import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fileName, isAbsolutePath, matchesPath, normalisePath, resolvePath } from "../../src/session/file-path.ts";

describe("normalisePath", () => {
  test.each([
    ["/w/app/a.ts", "/w/app/a.ts"],
    ["./a.ts", "a.ts"],
    ["src/./a.ts", "src/a.ts"],
    ["src//a.ts", "src/a.ts"],
    ["src/", "src"],
    ["/w/app/", "/w/app"],
    ["/w/app/../lib/a.ts", "/w/lib/a.ts"],
    ["/../a.ts", "/a.ts"],
    ["a/../../b", "../b"],
    ["../../b", "../../b"],
    ["src\\lib\\a.ts", "src/lib/a.ts"],
    ["e:\\x\\a.ts", "E:/x/a.ts"],
    ["E:/x/../a.ts", "E:/a.ts"],
    ["E:/../a.ts", "E:/a.ts"],
    ["e:", "E:/"],
    ["E:\\", "E:/"],
    ["\\\\server\\share\\a.ts", "//server/share/a.ts"],
    ["\\\\?\\E:\\x", "E:/x"],
    ["\\\\?\\UNC\\server\\share", "//server/share"],
    ["///a", "/a"],
    ["/", "/"],
    ["//server/..", "/"],
    [".", ""],
    ["", ""],
    ["a: b", "a: b"],
    ["...", "..."],
  ])("%j is %j", (path, normalised) => {
    expect(normalisePath(path)).toBe(normalised);
  });

  test("normalising twice changes nothing", () => {
    const segment = fc.constantFrom("a", "b.ts", "..", ".", "", " ");
    const path = fc.tuple(
      fc.constantFrom("/", "\\", "", "//", "e:\\", "./"),
      fc.array(segment),
      fc.constantFrom("/", "\\"),
    );
    fc.assert(
      fc.property(path, ([root, segments, separator]) => {
        const once = normalisePath(root + segments.join(separator));
        expect(normalisePath(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ["/w", "a.ts", "/w/a.ts"],
  ["/w/", "./a.ts", "/w/a.ts"],
  ["/", "server/a.ts", "/server/a.ts"],
  ["/w", "../a.ts", "/a.ts"],
  ["/w", "/x/a.ts", "/x/a.ts"],
  ["e:\\w", "src\\a.ts", "E:/w/src/a.ts"],
  ["E:\\", "a.ts", "E:/a.ts"],
  ["E:\\w", "d:\\a.ts", "D:/a.ts"],
  ["\\\\server\\share", "a.ts", "//server/share/a.ts"],
])("from %j, %j is %j", (directory, path, resolved) => {
  expect(resolvePath(directory, path)).toBe(resolved);
});

test.each([
  ["/a", true],
  ["\\a", true],
  ["C:\\a", true],
  ["c:/a", true],
  ["\\\\server\\share", true],
  ["a/b", false],
  ["./a", false],
  ["~/a", false],
  ["a:b", false],
])("isAbsolutePath(%j) is %j", (path, absolute) => {
  expect(isAbsolutePath(path)).toBe(absolute);
});

describe("matchesPath", () => {
  test.each([
    ["/w/src/auth.ts", "auth.ts", true],
    ["/w/src/auth.ts", "src/auth.ts", true],
    ["/w/src/auth.ts", "./src/auth.ts", true],
    ["/w/src/auth.ts", "src\\auth.ts", true],
    ["/w/src/auth.ts", "lib/../src/auth.ts", true],
    ["/w/src/auth.ts", "/w/src/auth.ts", true],
    ["/w/src/auth.ts", "/w/./src/auth.ts", true],
    ["/w/src/oauth.ts", "auth.ts", false],
    ["/w/src/auth.ts", "/src/auth.ts", false],
    ["/w/src/auth.ts", "src", false],
    ["/w/src/auth.ts", "Auth.ts", false],
    ["/w/src/auth.ts", "auth", false],
    ["/w/src/auth.ts", "", false],
    ["/w/src/auth.ts", ".", false],
    ["/w/src/auth.ts", "../auth.ts", false],
    ["/w/my file.ts", "my file.ts", true],
    ["/w/caf\u00e9.ts", "cafe\u0301.ts", true],
  ])("%j asked for as %j: %j", (stored, asked, matches) => {
    expect(matchesPath(stored, asked)).toBe(matches);
  });

  test.each([
    ["E:\\x\\a.ts", "E:/x/a.ts"],
    ["E:/x/a.ts", "e:\\x\\a.ts"],
    ["d:/x/a.ts", "D:/x/a.ts"],
    ["D:\\x\\a.ts", "x\\a.ts"],
    ["\\\\server\\share\\a.ts", "//server/share/a.ts"],
  ])("case 77: %j and %j are one file", (stored, asked) => {
    expect(matchesPath(stored, asked)).toBe(true);
    expect(matchesPath(normalisePath(stored), asked)).toBe(true);
  });

  test("a path matches itself and each of its endings at a slash", () => {
    const segments = fc.array(fc.constantFrom("a", "b", "ab", "c.ts", "é"), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(segments, fc.nat(), (names, cut) => {
        const path = `/${names.join("/")}`;
        expect(matchesPath(path, path)).toBe(true);
        const ending = names.slice(cut % names.length).join("/");
        expect(matchesPath(path, ending)).toBe(true);
        expect(fileName(path)).toBe(fileName(ending));
      }),
    );
  });
});

test.each([
  ["/w/src/Auth.TS", "auth.ts"],
  ["C:\\x\\A.ts", "a.ts"],
  ["a.ts", "a.ts"],
  ["/w/src/", "src"],
  ["Cafe\u0301.ts", "caf\u00e9.ts"],
  ["/", ""],
])("the file name of %j is %j", (path, name) => {
  expect(fileName(path)).toBe(name);
});
