/** Query language: how it is taught to the model, in the description of every search tool. */

import { DATE_FORMS } from "../query/date-range.ts";

export interface Syntax {
  readonly form: string;
  readonly about: string;
}

/** Every form of the language; the README's table is made of the same list. */
export const QUERY_SYNTAX: readonly Syntax[] = [
  { form: "login token", about: "sessions that hold both words, anywhere, in any order; part of a word is enough" },
  { form: '"exact phrase"', about: "the words in this order" },
  { form: "redis OR memcached", about: "either one; OR in capitals" },
  { form: "(redis OR memcached) ttl", about: "parentheses group" },
  { form: "-docker", about: "not the sessions that hold the word anywhere" },
  { form: "path:src/auth.ts", about: "sessions that edited the file; a file name or the end of a path is enough" },
  {
    form: "project:all",
    about: "every project; or a project id, or a directory such as ~/code/app; default: this one",
  },
  { form: "title:refactor", about: "the word in the session's title" },
  { form: "tool:bash", about: "sessions that called the tool" },
  { form: "is:subagent", about: "sessions of a kind: is:subagent, is:archived, is:reverted, is:error" },
];

/** The syntax in a few lines, for tool descriptions: hosts may not show what the arguments say of themselves. */
export const SYNTAX_LINES: string = [
  "Query: all words must occur in the session (case-insensitive, part of a word is enough).",
  ...QUERY_SYNTAX.slice(1).map(({ form, about }) => `- ${form} : ${about}`),
  "Anything else is searched as it stands (error: x, useState(), C:\\x).",
  `date: ${DATE_FORMS} (local time).`,
].join("\n");
