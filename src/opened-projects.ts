/** Opened projects: the search index, limited to sessions of the projects that OpenCode runs in. */

import { createScope } from "./archive/scope.ts";
import type { HostLocation } from "./host/host.ts";
import type { Session } from "./session/session.ts";
import type { SessionSink } from "./sync/sink.ts";

/**
 * The same sink, wanting only sessions of the given locations' worktrees or, outside of git, of exactly their
 * directories. What it holds of other projects stays.
 * @param locations those that are open now
 */
export function limitToOpened(sink: SessionSink, locations: () => Iterable<HostLocation>): SessionSink {
  const scopes = new Map<string, (directory: string) => boolean>();
  const scopeOf = ({ directory, worktree }: HostLocation) => {
    const root = worktree ?? directory;
    const scope = scopes.get(root) ?? createScope(root, worktree !== null);
    scopes.set(root, scope);
    return scope;
  };
  const wants = (session: Session): boolean => {
    for (const location of locations()) if (scopeOf(location)(session.directory)) return true;
    return false;
  };
  return {
    name: sink.name,
    wants: (session) => sink.wants(session) && wants(session),
    outdated: (sessions) => sink.outdated(sessions),
    open: (session) => sink.open(session),
    remove: (sessionId, at) => sink.remove(sessionId, at),
    noteSessionError: async (sessionId, at) => sink.noteSessionError?.(sessionId, at),
  };
}
