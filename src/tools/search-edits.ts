/** history-search-edits: who changed a file, when, and the prompt behind it. */

import type { HostTool } from "../host/host.ts";
import { renderEditHits } from "../render/edit-hits.ts";
import { roleArgument, text } from "./arguments.ts";
import { SYNTAX_LINES } from "./query-language.ts";
import { dateArgument, limitArgument, prepareSearch } from "./search-arguments.ts";
import { defineTool, renderOptions, type ToolsOptions } from "./tool.ts";

const LIMIT = { standard: 50, cap: 50 };

const args = {
  query: text("Which edits: path: for a file, words for sessions; empty lists recent edits.", "words and qualifiers"),
  role: roleArgument("Only words of messages by this role count; edits are not limited by it."),
  date: dateArgument,
  limit: limitArgument("edits", LIMIT.standard, LIMIT.cap),
};

const DESCRIPTION = `Lists edits of files made in past sessions, newest first, each with the tool, the time, the session and the user's prompt behind it. Use it to learn why a file looks as it does, or what else was changed for a feature. Here path: gives the edits of that file; words alone give every file edited in the sessions that hold them; no query gives recent edits. "First edit" is the earliest edit known to this index in the project: not the file's creation in git.

${SYNTAX_LINES}

Arguments (all may be left out): query, role ("user" or "assistant", for words), date (of the edit), limit (1 to 50, without it 50).
Examples: {"query":"path:src/auth.ts"} · {"query":"path:auth.ts token","date":"last 3 months"} · {"query":"rate limiting"} · {}
Next: history-read with the sessionID and the prompt's messageID from the answer shows what led to an edit.`;

export function searchEditsTool(tools: ToolsOptions): HostTool {
  const { search, clock, log } = tools;
  return defineTool(
    {
      name: "history-search-edits",
      description: DESCRIPTION,
      args,
      async execute(input, call) {
        const query = input.query ?? "";
        const { request, notes } = prepareSearch({ ...input, query }, LIMIT, call, new Date(clock.now()));
        return renderEditHits(await search.searchEdits(request), renderOptions(tools, notes));
      },
    },
    log,
  );
}
