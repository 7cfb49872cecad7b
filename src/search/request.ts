/** Request: one search, its text parsed and its inputs checked. */

import type { Query, TimeRange } from "../query/ast.ts";
import type { MessageRole } from "../session/session.ts";
import type { EditHit, MessageHit, ProjectHit, Results, SessionHit } from "./results.ts";

/** Who asks, and from where: decides the current project and what counts as the asking turn. */
export interface Asker {
  readonly sessionId: string | null;
  readonly projectId: string | null;
  readonly directory: string;
  /** When the asking turn began, epoch milliseconds; null when unknown: then the index's last user message counts. */
  readonly turnStartedAt: number | null;
}

export interface SearchRequest {
  readonly query: Query;
  readonly role: MessageRole | null;
  readonly date: TimeRange | null;
  readonly limit: number;
  readonly asker: Asker;
  readonly signal: AbortSignal;
}

/** The search use cases as the tools see them. */
export interface HistorySearch {
  searchMessages(request: SearchRequest): Promise<Results<MessageHit>>;
  searchSessions(request: SearchRequest): Promise<Results<SessionHit>>;
  searchProjects(request: SearchRequest): Promise<Results<ProjectHit>>;
  searchEdits(request: SearchRequest): Promise<Results<EditHit>>;
}

/** Nothing can be searched here; the message says why, for the model. */
export class SearchUnavailableError extends Error {
  constructor(reason: string) {
    super(
      `The history cannot be searched in this OpenCode: ${reason} history-read still works for a session id you know.`,
    );
    this.name = "SearchUnavailableError";
  }
}
