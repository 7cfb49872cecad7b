import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { parseQuery } from "../../src/query/parser.ts";
import { QUERY_SYNTAX } from "../../src/tools/query-language.ts";
import { argumentsOf, BEGIN, declaredTools, END, toolReference } from "../support/tool-reference.ts";

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
const section = readme.slice(readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END));

/** The formatter pads tables and wraps lines. */
const unformatted = (text: string): string => text.replaceAll(/-{3,}/gu, "---").replaceAll(/\s+/gu, " ").trim();

describe("the README's tool reference", () => {
  it.each(declaredTools().map((tool) => [tool.name, tool] as const))("names %s and its arguments", (name, tool) => {
    const own = section.slice(section.indexOf(`### ${name}`)).split("\n### ")[0] ?? "";
    expect(own).not.toBe("");
    for (const argument of argumentsOf(tool)) expect(own).toContain(`\`${argument.name}\``);
  });

  it.each(["path:", "project:", "title:", "tool:", "is:", "OR", '"', "-", "("])("explains %s", (token) => {
    const rows = section.slice(section.indexOf("### Query language")).split("\n");
    expect(rows.some((row) => row.startsWith("| `") && row.includes(token))).toBe(true);
  });

  it("is what the tools declare (npm run readme writes it)", () => {
    expect(unformatted(section)).toBe(unformatted(toolReference()));
  });
});

describe("the syntax that is taught", () => {
  it.each(QUERY_SYNTAX.map(({ form }) => form))("is understood without a note: %s", (form) => {
    expect(parseQuery(form).notes).toEqual([]);
  });

  it("is in every search tool's description, with examples that parse", () => {
    for (const tool of declaredTools().filter(({ name }) => name.startsWith("history-search"))) {
      for (const { form } of QUERY_SYNTAX.slice(1)) expect(tool.description).toContain(form);
      const examples = /^Examples: (.*)$/mu.exec(tool.description)?.[1]?.split(" · ") ?? [];
      expect(examples.length).toBeGreaterThan(2);
      for (const example of examples) {
        const given: unknown = JSON.parse(example);
        const query = typeof given === "object" && given !== null && "query" in given ? String(given.query) : "";
        expect(parseQuery(query).notes).toEqual([]);
      }
    }
  });
});
