import { expect, test } from "vitest";

import { ToldHistory } from "./told-history.ts";

/** Texts, a query, and the positions of the texts that it finds. */
type Row = readonly [query: string, texts: readonly string[], found: readonly number[]];

async function foundBy(query: string, texts: readonly string[]): Promise<number[]> {
  const history = await ToldHistory.begin();
  await history.tellEach(texts);
  return (await history.find(query)).map((id) => Number(id.replace("ses_", "")));
}

test.each<Row>([
  ["quick ok", ["quick brown fox", "quick ok fox"], [1]],
  ["fox ok", ["quick brown fox", "quick ok fox"], [1]],
  ["deploy 部署", ["deploy 讨论", "deploy 部署"], [1]],
  ['"quick b" q', ["quick brown", "quick ok"], [0]],
  ["login -ok", ["login ok", "login no"], [1]],
])("case 1: a short term beside a longer one counts: %j", async (query, texts, found) => {
  expect(await foundBy(query, texts)).toEqual(found);
});

test.each<Row>([
  ["部署", ["今天讨论了部署方案", "今天讨论了"], [0]],
  ["go", ["we go home", "we gather"], [0]],
  ["db", ["the DB is down", "the bd is down"], [0]],
  ["🤖🤖", ["beep 🤖🤖 boop", "one 🤖 only"], [0]],
  ["🤖", ["beep 🤖🤖 boop", "no robot"], [0]],
  ["x", ["xylophone", "phone", "at the end x"], [0, 2]],
  ["か", ["ひらがな", "カタカナ"], []],
  ["é", ["café", "tin"], [0]],
])("case 2: a short term alone is found wherever it stands: %j", async (query, texts, found) => {
  expect(await foundBy(query, texts)).toEqual(found);
});

test.each<Row>([
  ["fix CI", ["fix CI", "fix it"], [0]],
  ["fix -v2", ["fix v2", "fix v3"], [1]],
  ['"id"', ["the id", "the name"], [0]],
  ["-x OR y", ["x alone", "y and x", "z"], [1, 2]],
  ["(a OR b) -c", ["a", "b c", "d"], [0]],
])("case 5: short words and exclusions are answered: %j", async (query, texts, found) => {
  expect(await foundBy(query, texts)).toEqual(found);
});

test.each([
  "don't",
  "multi-agent",
  "path:src",
  '"unb',
  "--error-on-warnings",
  "grammar::fa",
  "a AND",
  "NEAR(",
  "NEAR(a b, 5)",
  "*",
  "a*",
  "^x",
  "{a b}: c",
  "text : x",
  "postings MATCH 'x'",
  "'; DROP TABLE documents; --",
  "%_",
  "a + b",
  "\\",
  "\0",
])("case 6: no raw text reaches the index's own language: %j", async (query) => {
  const history = await ToldHistory.begin();
  const text = query.startsWith("path:") ? "nothing" : `before ${query.replaceAll('"', "")} after`;
  await history.tell({ id: "ses_0" }, [text, "a b c x y 5 AND"]);
  const searched = query === "path:src" ? "history-search-sessions" : "history-search-messages";
  const answer = await history.call(searched, { query });
  expect(answer).not.toMatch(/sqlite|fts5?|syntax error|no such column|unterminated|MATCH expression/iu);
  expect(answer).not.toMatch(/\p{Surrogate}/u);
});

test.each<Row>([
  ["don't", ["I don't", "I do not"], [0]],
  ["don’t", ["I don't", "I do not"], [0]],
  ["multi-agent", ["a multi-agent run", "multi run agent"], [0]],
  ["--error-on-warnings", ["use --error-on-warnings", "error on warnings"], [0]],
  ["grammar::fa", ["see grammar::fa", "grammar fa"], [0]],
  ["a*", ["a* search", "aa"], [0]],
  ["^x", ["regex ^x", "x"], [0]],
  ["100%", ["100% sure", "100 sure"], [0]],
])("case 6: what looks like an operator is found as text: %j", async (query, texts, found) => {
  expect(await foundBy(query, texts)).toEqual(found);
});

test.each<readonly [query: string, found: readonly number[], note: string | null]>([
  ["(foo OR bar) -path:vendor", [0, 1], null],
  ["/re.*x/", [2], "no regular expressions"],
  ["lang:ts", [2], "`lang:ts`"],
  ["repo:x", [2], "`repo:x`"],
  ["foo && bar", [], "joined by AND already"],
  ["foo NOT bar", [], "-word excludes"],
  ["title:foo*", [], "no wildcards"],
])("case 8: invented syntax is understood or taken literally, with a line: %j", async (query, found, note) => {
  const history = await ToldHistory.begin();
  await history.tellEach(["foo", "bar", "/re.*x/ lang:ts repo:x"]);
  const { notes } = await history.messages(query);
  expect(await history.find(query)).toEqual(found.map((place) => `ses_${place}`));
  expect(notes.length).toBe(note === null ? 0 : 1);
  const answer = await history.call("history-search-sessions", { query });
  expect(answer).toContain(note ?? "");
});

test.each<Row>([
  ['5" display', ['a 5" display', "a 5 inch display"], [0]],
  ['say "hello', ['say "hello', "say hello"], [0]],
  ['"a b" "c', ['a b "c', "a b c"], [0]],
  ['"', ['a " b', "a b"], [0]],
  ['-"odd', ['not "odd', "odd"], [1]],
])("case 9: a stray quote is a quote: %j", async (query, texts, found) => {
  expect(await foundBy(query, texts)).toEqual(found);
});

test.each([
  ["(a+)+$", "a".repeat(50_000)],
  ["(x|x)*y", "x".repeat(50_000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(50_000)],
  ["%a%a%a%a%a%b", "a".repeat(50_000)],
])("case 22: a pattern is text, so it cannot run away: %j", async (query, text) => {
  const history = await ToldHistory.begin();
  await history.tellEach([text, `the pattern ${query} itself`]);
  expect(await history.find(query)).toEqual(["ses_1"]);
});
