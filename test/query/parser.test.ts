import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseQuery } from "../../src/query/parser.ts";
import { printQuery } from "../../src/query/print.ts";
import { queryNodes, queryLikeText } from "../support/query-arbitraries.ts";
import { isFullSize, MANY_CASES } from "../support/test-size.ts";

/** The printed form of what a text parses to; null for a query that looks for nothing. */
function reprinted(text: string): string | null {
  const { root } = parseQuery(text);
  return root === null ? null : printQuery(root);
}

describe("well-formed queries mean what the grammar says", () => {
  test.each([
    ["alpha beta", "alpha beta"],
    ["  alpha \t\n beta ", "alpha beta"],
    ['"two words" one', '"two words" one'],
    ['"a""b"', '"a" "b"'],
    ['"a"b', '"a" b'],
    ["-alpha", "-alpha"],
    ['-"two words"', '-"two words"'],
    ["alpha OR beta", "alpha OR beta"],
    ["alpha beta OR gamma", "alpha beta OR gamma"],
    ["alpha (beta OR gamma)", "alpha (beta OR gamma)"],
    ["( alpha OR beta ) gamma", "(alpha OR beta) gamma"],
    ["((alpha))", "alpha"],
    ["(alpha beta) gamma", "alpha beta gamma"],
    ["(alpha OR beta) OR gamma", "alpha OR beta OR gamma"],
    ["-(alpha OR beta)", "-(alpha OR beta)"],
    ["-(alpha beta)", "-(alpha beta)"],
    ["-(-alpha)", "-(-alpha)"],
    ["(foo OR bar) -path:vendor", "(foo OR bar) -path:vendor"],
    ["path:src/auth.ts", "path:src/auth.ts"],
    ['path:"my file.ts" x', 'path:"my file.ts" x'],
    ['(path:"a b" OR tool:bash)', 'path:"a b" OR tool:bash'],
    ["title:login tool:edit is:subagent", "title:login tool:edit is:subagent"],
    ["-is:archived is:reverted is:error", "-is:archived is:reverted is:error"],
    ["path:C:\\repo\\a.ts", "path:C:\\repo\\a.ts"],
    ["path:app/(shop)/page.tsx", 'path:"app/(shop)/page.tsx"'],
    ["", null],
    ["   ", null],
    ["project:all", null],
  ])("%j is %j", (text, expected) => {
    expect(reprinted(text)).toBe(expected);
    expect(parseQuery(text).notes).toEqual([]);
  });

  test("case 5: short words and short exclusions are terms like any other", () => {
    expect(parseQuery('fix CI -v2 "id"').root).toEqual({
      kind: "and",
      operands: [
        { kind: "term", text: "fix", quoted: false },
        { kind: "term", text: "CI", quoted: false },
        { kind: "not", operand: { kind: "term", text: "v2", quoted: false } },
        { kind: "term", text: "id", quoted: true },
      ],
    });
  });
});

describe("text that only looks like syntax is text, without a note", () => {
  test.each([
    ["useState()", ["useState()"]],
    ["login(token)", ["login(token)"]],
    ["(useState() OR login(token))", ["useState()", "login(token)"]],
    ["f(g(x))", ["f(g(x))"]],
    ["a)b", ["a)b"]],
    ["error: x", ["error:", "x"]],
    ["https://example.org/a?b=c", ["https://example.org/a?b=c"]],
    ["C:\\x", ["C:\\x"]],
    ["std::vec node:fs", ["std::vec", "node:fs"]],
    ["--x", ["--x"]],
    ["a - b", ["a", "-", "b"]],
    ["-", ["-"]],
    ["--error-on-warnings", ["--error-on-warnings"]],
    ["don't multi-agent grammar::fa", ["don't", "multi-agent", "grammar::fa"]],
    ["^x {a b}: c", ["^x", "{a", "b}:", "c"]],
    ["a or b", ["a", "or", "b"]],
    ["c++ c# 50% $HOME @user #1", ["c++", "c#", "50%", "$HOME", "@user", "#1"]],
    [`key="value"`, [`key="value"`]],
    ["Path:x", ["Path:x"]],
    ["部署 🤖🤖", ["部署", "🤖🤖"]],
  ])("%j has the words %j", (text, words) => {
    const { root, notes } = parseQuery(text);
    expect(termsOf(root)).toEqual(words);
    expect(notes).toEqual([]);
  });
});

describe("cases 6, 8 and 9: what is not well-formed is taken literally, with a note that says why", () => {
  test.each([
    ['5" display', ['5"', "display"], /`5"`.*quote without a partner/u],
    ['say "hello', ["say", '"hello'], /`"hello`.*quote/u],
    ['"unb', ['"unb'], /quote/u],
    ['path:"open', ['"open'], /quote/u],
    ["(alpha", ["(alpha"], /`\(alpha`.*parenthesis/u],
    ["( alpha", ["(", "alpha"], /parenthesis/u],
    ["alpha)", ["alpha)"], /parenthesis/u],
    [") alpha", [")", "alpha"], /parenthesis/u],
    ["(alpha OR beta))", ["alpha", "beta", ")"], /`\)`.*parenthesis/u],
    ["(a)b", ["(a)b"], /parenthesis/u],
    ["()", ["()"], /nothing inside/u],
    ["-(alpha", ["(alpha"], /parenthesis/u],
    ["(-alpha beta", ["(-alpha", "beta"], /parenthesis/u],
    ["(path:x", ["(path:x"], /parenthesis/u],
    ["alpha OR", ["alpha", "OR"], /OR joins/u],
    ["OR alpha", ["OR", "alpha"], /OR joins/u],
    ["a OR OR b", ["a", "OR", "b"], /OR joins/u],
    ["a (OR) b", ["a", "OR", "b"], /OR joins/u],
    ["a AND b", ["a", "AND", "b"], /`AND`.*joined by AND already/u],
    ["a AND", ["a", "AND"], /`AND`/u],
    ["a NOT b", ["a", "NOT", "b"], /-word excludes/u],
    ["NEAR(a b)", ["NEAR(a", "b)"], /`NEAR\(a`/u],
    ["NEAR(", ["NEAR("], /`NEAR\(`/u],
    ["*", ["*"], /no wildcards/u],
    ["auth*", ["auth*"], /no wildcards; every word matches as a part/u],
    ["title:auth*", ["auth*"], /no wildcards; every word matches as a part/u],
    ["path:*.ts", ["*.ts"], /`\*\.ts`.*no wildcards; what stands after path:/u],
    ["-tool:history-*", ["history-*"], /no wildcards; what stands after path:/u],
    ["/re.*x/", ["/re.*x/"], /no regular expressions/u],
    ["lang:ts repo:x", ["lang:ts", "repo:x"], /`lang:ts`, `repo:x`.*qualifiers are path:/u],
    ["role:user", ["role:user"], /inputs of the tool/u],
    ["path: x", ["path:", "x"], /`path:`.*right after its colon/u],
    ['title:""', ['title:""'], /right after its colon/u],
    ["(tool:)", ["tool:"], /right after its colon/u],
    ["project:", ["project:"], /right after its colon/u],
    ["is:open", ["is:open"], /subagent, archived, reverted and error/u],
    ["“curly quotes”", ["“curly", "quotes”"], /straight double quotes/u],
  ])("%j has the words %j", (text, words, note) => {
    const { root, notes } = parseQuery(text);
    expect(termsOf(root)).toEqual(words);
    expect(notes).toContainEqual(expect.stringMatching(note));
  });

  test("one reason makes one line, however often it applies", () => {
    const { notes } = parseQuery("a* b* c* d* e*");
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain("`a*`, `b*`, `c*` and 2 more");
  });

  test("an empty phrase is ignored, since it would match everything", () => {
    expect(reprinted('alpha "" "  "')).toBe("alpha");
    expect(parseQuery('""')).toEqual({
      root: null,
      project: { kind: "current" },
      notes: ["An empty phrase was ignored."],
    });
  });

  test("parentheses nested deeper than 32 levels are text", () => {
    const { root, notes } = parseQuery(`${"(".repeat(40)}x${")".repeat(40)}`);
    expect(termsOf(root)).toEqual([`${"(".repeat(8)}x${")".repeat(8)}`]);
    expect(notes).toContainEqual(expect.stringContaining("nested too deep"));
  });
});

describe("project: sets the scope of the whole query", () => {
  test.each([
    ["x", { kind: "current" }, "x"],
    ["project:all x", { kind: "all" }, "x"],
    ["x project:9f1c", { kind: "id", id: "9f1c" }, "x"],
    ["project:global", { kind: "id", id: "global" }, null],
    ["project:/w/app x", { kind: "path", path: "/w/app" }, "x"],
    ["project:~ x", { kind: "path", path: "~" }, "x"],
    ["project:~/app x", { kind: "path", path: "~/app" }, "x"],
    ["project:C:\\w x", { kind: "path", path: "C:\\w" }, "x"],
    ['project:"/w/my app" x', { kind: "path", path: "/w/my app" }, "x"],
    ["a OR project:all b", { kind: "all" }, "a OR b"],
    ["a OR project:all", { kind: "all" }, "a"],
  ])("%j", (text, project, printed) => {
    expect(parseQuery(text).project).toEqual(project);
    expect(reprinted(text)).toBe(printed);
    expect(parseQuery(text).notes).toEqual([]);
  });

  test("the last of several wins, with a note", () => {
    const { project, notes } = parseQuery("project:a x project:b");
    expect(project).toEqual({ kind: "id", id: "b" });
    expect(notes).toEqual(["Several project: were given; the last one, `project:b`, counts."]);
  });

  test.each(["(project:a x)", "-project:a x", "x (y OR project:a)", "-(project:a) x"])(
    "in %j it is ignored",
    (text) => {
      const { project, notes } = parseQuery(text);
      expect(project).toEqual({ kind: "current" });
      expect(notes).toEqual([expect.stringContaining("`project:a` was ignored")]);
    },
  );
});

test("what separates the parts of a stored message cannot be searched for", () => {
  expect(parseQuery('"a \u001e b"').root).toEqual({ kind: "term", text: "a \u241e b", quoted: true });
});

describe("properties", () => {
  test("a printed tree parses to the same tree, without notes", MANY_CASES, () => {
    fc.assert(
      fc.property(queryNodes(), (node) => {
        const { root, notes } = parseQuery(printQuery(node));
        expect(root).toEqual(node);
        expect(notes).toEqual([]);
      }),
      { numRuns: isFullSize() ? 20_000 : 1_000 },
    );
  });

  test("any text parses, and printing what it parsed to changes nothing more", MANY_CASES, () => {
    fc.assert(
      fc.property(fc.oneof(queryLikeText(), fc.string({ unit: "binary", maxLength: 60 })), (text) => {
        // Without double quotes: a word that holds a lone one has no unambiguous printed form.
        const { root } = parseQuery(text.replaceAll('"', ""));
        const printed = root === null ? "" : printQuery(root);
        expect(parseQuery(printed).root).toEqual(root);
      }),
      { numRuns: isFullSize() ? 100_000 : 2_000 },
    );
  });

  test("no text makes the parser throw", MANY_CASES, () => {
    fc.assert(
      fc.property(fc.oneof(queryLikeText(), fc.string({ unit: "binary", maxLength: 200 })), (text) => {
        expect(() => reprinted(text)).not.toThrow();
      }),
      { numRuns: isFullSize() ? 100_000 : 2_000 },
    );
  });

  test("a group of 200,000 words parses", MANY_CASES, () => {
    expect(parseQuery(`x (${"a ".repeat(200_000)})`).root).toHaveProperty("operands.length", 200_001);
  });

  test.each(["(", ")", '"', "-(", "-", "OR ", "(OR ", "((", "(a) ", "a ", "a)", "-a", 'path:"', '-"'])(
    "100,000 times %j parses",
    (piece) => {
      expect(() => reprinted(piece.repeat(100_000))).not.toThrow();
    },
  );
});

/** The texts of all terms and values of a tree, in order. */
function termsOf(node: ReturnType<typeof parseQuery>["root"]): string[] {
  if (node === null) return [];
  switch (node.kind) {
    case "and":
    case "or":
      return node.operands.flatMap(termsOf);
    case "not":
      return termsOf(node.operand);
    case "term":
    case "title":
      return [node.text];
    case "path":
      return [node.path];
    case "tool":
      return [node.tool];
    case "is":
      return [node.flag];
  }
}
