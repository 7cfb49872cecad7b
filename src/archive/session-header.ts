/** Session header: what a session's listing entry becomes at the top of its file. */

import { relative, resolve } from "node:path";

import type { Masker } from "../redact/mask.ts";
import type { Session } from "../session/session.ts";
import { wellFormed } from "../session/well-formed.ts";
import type { SessionHeader } from "./session-file.ts";
import { isoTime, modelName } from "./turn.ts";

export interface HeaderContext {
  /** Root of the archived worktree. */
  readonly root: string;
  readonly masker: Masker;
}

type FromSession = Omit<
  SessionHeader,
  "_id" | "compactedAt" | "subSessions" | "deletedAt" | "recovered" | "git" | "todos" | "redactions" | "sync"
>;

export function headerFields(session: Session, { root, masker }: HeaderContext): FromSession {
  return {
    title: masker.mask(wellFormed(session.title)).text,
    startedAt: isoTime(session.createdAt) ?? NO_TIME,
    updatedAt: isoTime(session.updatedAt) ?? NO_TIME,
    parentId: session.parentId,
    archivedAt: isoTime(session.archivedAt),
    forkedFromId: session.forkedFromId,
    source: session.source,
    projectId: session.projectId,
    directory: relative(root, resolve(session.directory)).replaceAll("\\", "/") || ".",
    agent: session.agent,
    model: modelName(session.model),
    cost: session.cost,
    tokens: session.tokens,
    revert: session.revert,
  };
}

export function newHeader(session: Session, context: HeaderContext): SessionHeader {
  return {
    _id: session.id,
    ...headerFields(session, context),
    compactedAt: null,
    subSessions: [],
    deletedAt: null,
    recovered: false,
    git: null,
    todos: [],
    redactions: {},
    sync: { stamp: 0, complete: false, fingerprint: null, settings: "" },
  };
}

/** For a session whose times are no times. */
const NO_TIME = new Date(0).toISOString();
