/**
 * Context: what OpenCode 2.x hands to `setup`, cut down to what this product uses. Nothing of it is taken on trust:
 * its keys differ from release to release, and OpenCode 1.18 calls `setup` too, with none of the three domains that
 * matter (tool, event, session).
 */

import { fieldsOf, nameOf } from "../fields.ts";
import { type HostLocation } from "../host.ts";
import { GLOBAL_PROJECT } from "../../session/session.ts";

export type Method = (...args: readonly unknown[]) => unknown;

export interface Context {
  readonly version: string | null;
  readonly channel: string | null;
  /** null on builds whose context names no location (before 2.0.0). */
  readonly location: HostLocation | null;
  readonly options: unknown;
  /** ctx.tool.transform */
  readonly transformTools: Method;
  /** ctx.command.transform; null where the host has none. */
  readonly transformCommands: Method | null;
  /** ctx.event.subscribe */
  readonly subscribe: Method;
  /** ctx.session, and ctx.message where there is one: asked for methods that only later releases have. */
  readonly session: unknown;
  readonly message: unknown;
}

/** Reads a context; null when it lacks a domain without which this product can do nothing. */
export function readContext(given: unknown): Context | null {
  const context = fieldsOf(given);
  const transformTools = methodOf(context["tool"], "transform");
  const subscribe = methodOf(context["event"], "subscribe");
  if (transformTools === null || subscribe === null || !isObject(context["session"])) return null;
  const app = fieldsOf(context["app"]);
  return {
    version: nameOf(app["version"]),
    channel: nameOf(app["channel"]),
    location: readLocation(context["location"]),
    options: context["options"],
    transformTools,
    transformCommands: methodOf(context["command"], "transform"),
    subscribe,
    session: context["session"],
    message: context["message"],
  };
}

/** A method of an object, bound to it; null when it has none of that name. */
export function methodOf(owner: unknown, name: string): Method | null {
  if (!isObject(owner)) return null;
  const found: unknown = Reflect.get(owner, name);
  return isMethod(found) ? (...args) => Reflect.apply(found, owner, args) : null;
}

function readLocation(given: unknown): HostLocation | null {
  const location = fieldsOf(given);
  const directory = nameOf(location["directory"]);
  if (directory === null) return null;
  const project = fieldsOf(location["project"]);
  const projectId = nameOf(project["id"]);
  return { directory, projectId, worktree: worktreeOf(directory, projectId, nameOf(project["directory"])) };
}

/** The project's directory, where it is a worktree that holds this location: "global" has none, nor has "/". */
function worktreeOf(directory: string, projectId: string | null, projectDirectory: string | null): string | null {
  if (projectDirectory === null || projectId === null || projectId === GLOBAL_PROJECT) return null;
  const root = projectDirectory.replace(/[/\\]+$/u, "");
  const inside = directory === root || directory.startsWith(`${root}/`) || directory.startsWith(`${root}\\`);
  return root !== "" && inside ? root : null;
}

function isMethod(value: unknown): value is Method {
  return typeof value === "function";
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
