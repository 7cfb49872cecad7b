/**
 * Tool reference: the README's section on the tools and the query language, made of what the tools themselves declare,
 * so that the two cannot drift apart. `npm test` compares; `npm run readme` writes.
 */

import { z } from "zod";

import type { HostTool } from "../../src/host/host.ts";
import { QUERY_SYNTAX } from "../../src/tools/query-language.ts";
import { createTools } from "../../src/tools/tools.ts";
import { setUpTools } from "./tools.ts";

export const BEGIN = "<!-- tools:begin -->";
export const END = "<!-- tools:end -->";

/** The four tools, with nothing behind them. */
export function declaredTools(): readonly HostTool[] {
  return createTools(setUpTools().options);
}

export interface DeclaredArgument {
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
}

export function argumentsOf(tool: HostTool): readonly DeclaredArgument[] {
  return Object.entries(tool.args).map(([name, schema]) => {
    if (!(schema instanceof z.ZodType)) throw new TypeError(`${tool.name} declares ${name} without a zod schema.`);
    return { name, isRequired: !schema.isOptional(), description: schema.description ?? "" };
  });
}

/** The whole section between the markers. */
export function toolReference(): string {
  return [...declaredTools().map(toolSection), syntaxSection()].join("\n\n");
}

/** The README with its section replaced. */
export function updateReference(readme: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`The README needs the lines ${BEGIN} and ${END}.`);
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${toolReference()}\n\n${readme.slice(end)}`;
}

function toolSection(tool: HostTool): string {
  const [about = "", ...paragraphs] = tool.description.split("\n");
  const examples = paragraphs.flatMap(examplesIn);
  return [
    `### ${tool.name}`,
    about,
    ["| argument | meaning |", "| --- | --- |", ...argumentsOf(tool).map(argumentRow)].join("\n"),
    ["```json", ...examples, "```"].join("\n"),
  ].join("\n\n");
}

function argumentRow({ name, isRequired, description }: DeclaredArgument): string {
  return `| \`${name}\`${isRequired ? " (required)" : ""} | ${cell(description)} |`;
}

/** Examples stand in the descriptions as JSON objects on a line of their own kind. */
function examplesIn(line: string): readonly string[] {
  if (line.startsWith("Examples: ")) return line.slice("Examples: ".length).split(" · ");
  const example = /^- .*: (\{.*\})$/u.exec(line)?.[1];
  return example === undefined ? [] : [example];
}

function syntaxSection(): string {
  const rows = QUERY_SYNTAX.map(({ form, about }) => `| \`${cell(form)}\` | ${cell(about)} |`);
  return ["### Query language", ["| query | finds |", "| --- | --- |", ...rows].join("\n")].join("\n\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
