/** Hits: search results for tests of what is made of them, complete and plausible. */

import type {
  Coverage,
  EditHit,
  Excerpt,
  MessageHit,
  ProjectHit,
  Results,
  SessionHit,
  TermMatch,
} from "../../src/search/results.ts";
import { BUILT_AT } from "./builders.ts";

export const WHOLE_COVERAGE: Coverage = {
  indexedSessions: 12,
  knownSessions: 12,
  complete: true,
  rebuilding: false,
  troubles: [],
};

export function buildResults<Hit>(hits: readonly Hit[], given: Partial<Results<Hit>> = {}): Results<Hit> {
  return { hits, more: false, notes: [], coverage: WHOLE_COVERAGE, ...given };
}

export function buildSessionHit(given: Partial<SessionHit> = {}): SessionHit {
  return {
    sessionId: "ses_1",
    source: "v1",
    title: "Fix the login",
    projectId: "project-1",
    directory: "/w/app",
    parentId: null,
    rootId: null,
    createdAt: BUILT_AT,
    updatedAt: BUILT_AT,
    archived: false,
    reverted: false,
    ...given,
  };
}

export function buildMessageHit(given: Partial<MessageHit> = {}): MessageHit {
  return { ...buildSessionHit(given), matches: [buildTermMatch()], ...given };
}

/** A match of the first occurrence of `term` in the excerpt's text. */
export function buildTermMatch(given: Partial<TermMatch> = {}): TermMatch {
  const term = given.term ?? "login";
  return {
    term,
    messageId: "msg_1",
    role: "user",
    time: BUILT_AT,
    reverted: false,
    excerpt: buildExcerpt(`please fix the ${term} of the app`, term),
    ...given,
  };
}

export function buildExcerpt(text: string, term: string, given: Partial<Excerpt> = {}): Excerpt {
  const matchStart = Math.max(0, text.indexOf(term));
  const surroundings = { before: "", after: "" };
  return {
    text,
    matchStart,
    matchEnd: matchStart + term.length,
    cutBefore: false,
    cutAfter: false,
    surroundings,
    ...given,
  };
}

export function buildEditHit(given: Partial<EditHit> = {}): EditHit {
  return {
    sessionId: "ses_1",
    source: "v1",
    sessionTitle: "Fix the login",
    projectId: "project-1",
    directory: "/w/app",
    rootId: null,
    messageId: "msg_2",
    tool: "edit",
    time: BUILT_AT,
    path: "/w/app/src/auth.ts",
    prompt: { messageId: "msg_1", text: "Please fix the login", cut: false },
    firstEdit: false,
    reverted: false,
    ...given,
  };
}

export function buildProjectHit(given: Partial<ProjectHit> = {}): ProjectHit {
  return { projectId: "project-1", directories: ["/w/app"], sessions: 3, updatedAt: BUILT_AT, ...given };
}
