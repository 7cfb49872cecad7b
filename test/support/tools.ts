/** Tools support: the four tools over a search that records what it is asked, and a reader over a fake host. */

import type { ToolCall } from "../../src/host/host.ts";
import type { HistorySearch, SearchRequest } from "../../src/search/request.ts";
import type { Results } from "../../src/search/results.ts";
import type { SessionReader } from "../../src/search/read-session-request.ts";
import { createTools, type ToolsOptions } from "../../src/tools/tools.ts";
import { BUILT_AT, buildConversation } from "./builders.ts";
import { FakeClock } from "./fake-clock.ts";
import { buildEditHit, buildMessageHit, buildProjectHit, buildResults, buildSessionHit } from "./hits.ts";
import { setUpReading } from "./reading.ts";
import { silentLogger, type Logger } from "../../src/runtime/logger.ts";

export interface RecordedSearch {
  readonly kind: "messages" | "sessions" | "projects" | "edits";
  readonly request: SearchRequest;
}

export interface ToolsSetup {
  readonly options: ToolsOptions;
  readonly requests: readonly RecordedSearch[];
  /** Runs a tool as a host would. */
  readonly run: (name: string, args: unknown, call?: ToolCall) => Promise<string>;
}

export function buildCall(given: Partial<ToolCall> = {}): ToolCall {
  return {
    sessionId: "ses_1",
    messageId: "msg_asking",
    directory: "/w/app",
    projectId: "project-1",
    signal: new AbortController().signal,
    turnStartedAt: null,
    ...given,
  };
}

export interface ToolsGiven {
  readonly now?: number;
  readonly reader?: SessionReader;
  readonly mask?: (text: string) => string;
  readonly log?: Logger;
  /** What every search rejects with. */
  readonly failure?: unknown;
}

export function setUpTools(given: ToolsGiven = {}): ToolsSetup {
  const requests: RecordedSearch[] = [];
  const answer = async <Hit>(kind: RecordedSearch["kind"], request: SearchRequest, hit: Hit): Promise<Results<Hit>> => {
    requests.push({ kind, request });
    if (given.failure !== undefined) throw given.failure;
    return buildResults([hit]);
  };
  const search: HistorySearch = {
    searchMessages: (request) => answer("messages", request, buildMessageHit()),
    searchSessions: (request) => answer("sessions", request, buildSessionHit()),
    searchProjects: (request) => answer("projects", request, buildProjectHit()),
    searchEdits: (request) => answer("edits", request, buildEditHit()),
  };
  const options: ToolsOptions = {
    search,
    reader: given.reader ?? setUpReading(buildConversation("ses_1", 30)).reader,
    mask: given.mask ?? ((text) => text),
    clock: new FakeClock(given.now ?? BUILT_AT),
    log: given.log ?? silentLogger,
  };
  const tools = createTools(options);
  return {
    options,
    requests,
    run: async (name, args, call = buildCall()) => {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      return tool.execute(args, call);
    },
  };
}
