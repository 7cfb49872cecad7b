import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import type { HostLocation } from "../src/host/host.ts";
import { limitToOpened } from "../src/opened-projects.ts";
import { buildSession } from "./support/builders.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { MemorySink } from "./support/memory-sink.ts";

const root = mkdtempSync(join(tmpdir(), "opened-projects-"));
mkdirSync(join(root, "app", "nested", ".git"), { recursive: true });
afterAll(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string, isWorktree: boolean): HostLocation => {
  const directory = join(root, path);
  return { directory, worktree: isWorktree ? directory : null, projectId: "project-1" };
};

describe("an index limited to opened projects wants", () => {
  it.each([
    ["a session of the worktree", "app", true, "app", true],
    ["one of a directory in it", "app", true, "app/packages/web", true],
    ["not one of a repository inside it", "app", true, "app/nested", false],
    ["not one of another directory", "app", true, "application", false],
    ["outside of git, one of exactly that directory", "notes", false, "notes", true],
    ["outside of git, not one below it", "notes", false, "notes/2026", false],
  ])("%s", (_, open, isWorktree, directory, expected) => {
    const sink = limitToOpened(new MemorySink(new FakeClock()), () => [at(open, isWorktree)]);
    expect(sink.wants(buildSession({ directory: join(root, directory) }))).toBe(expected);
  });

  it("sessions of a project from the moment it is opened", () => {
    const locations: HostLocation[] = [];
    const sink = limitToOpened(new MemorySink(new FakeClock()), () => locations);
    const session = buildSession({ directory: join(root, "app") });
    expect(sink.wants(session)).toBe(false);
    locations.push(at("app", true));
    expect(sink.wants(session)).toBe(true);
  });
});
