/** history-search-sessions: which sessions, or which projects, without their content. */

import type { HostTool } from "../host/host.ts";
import { renderProjectHits, renderSessionHits } from "../render/session-hits.ts";
import { choice, text } from "./arguments.ts";
import { SYNTAX_LINES } from "./query-language.ts";
import { dateArgument, limitArgument, prepareSearch, searchRoleArgument } from "./search-arguments.ts";
import { defineTool, renderOptions, type ToolsOptions } from "./tool.ts";

const SESSIONS = { standard: 20, cap: 50 };
const PROJECTS = { standard: 100, cap: 100 };

const args = {
  query: text("What the sessions must hold; empty lists recent ones.", "words, phrases and qualifiers"),
  role: searchRoleArgument,
  date: dateArgument,
  limit: limitArgument("sessions (or projects, up to 100)", SESSIONS.standard, SESSIONS.cap),
  show: choice("What to list: sessions, or one line for each project.", ["sessions", "projects"]),
};

const DESCRIPTION = `Lists past sessions without their content: title, id, last activity, directory, project. Use it to see what was worked on lately, to find a session by title, file or date, or (show: "projects") to see in which projects something was worked on. Without a query: this project's recent sessions.

${SYNTAX_LINES}

Arguments (all may be left out): query, role ("user" or "assistant"), date, limit (1 to 50, without it 20; projects 1 to 100), show ("sessions" or "projects").
Examples: {} · {"query":"title:refactor","date":"last 30 days"} · {"query":"path:src/auth.ts is:subagent"} · {"query":"webpack project:all","show":"projects"}
Next: history-read with a sessionID from the answer reads that session; history-search-messages finds the message that holds a word.`;

export function searchSessionsTool(tools: ToolsOptions): HostTool {
  const { search, clock, log } = tools;
  return defineTool(
    {
      name: "history-search-sessions",
      description: DESCRIPTION,
      args,
      async execute(input, call) {
        const isProjects = input.show === "projects";
        const query = input.query ?? "";
        const limit = isProjects ? PROJECTS : SESSIONS;
        const { request, notes } = prepareSearch({ ...input, query }, limit, call, new Date(clock.now()));
        return isProjects
          ? renderProjectHits(await search.searchProjects(request), renderOptions(tools, notes))
          : renderSessionHits(await search.searchSessions(request), renderOptions(tools, notes));
      },
    },
    log,
  );
}
