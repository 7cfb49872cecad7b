/** Foot: the lines under the hits: what was left out, how complete the index is, what to do next. Pure. */

import type { Coverage, Results } from "../search/results.ts";
import { clip } from "./cut.ts";
import { oneLine } from "./quote.ts";

const MAX_NOTES = 12;

export interface FootOptions {
  /** "sessions", "projects", "edits": what the entries are. */
  readonly noun: string;
  /** How to go on from these hits; null when there is nothing to go on from. */
  readonly next: string | null;
  /** Lines of the tool itself: a limit that was lowered… */
  readonly notes: readonly string[];
}

/** The foot of a search's answer, as a function of the number of entries that did not fit. */
export function footOf(results: Results<unknown>, options: FootOptions): (leftOut: number) => readonly string[] {
  const { noun, next, notes } = options;
  const fixed = [
    ...(results.more ? [`More ${noun} match than the limit let through: add a word, a date or project:.`] : []),
    ...limited([...notes, ...results.notes]).map((note) => `Note: ${note}`),
    ...coverageLines(results.coverage),
    ...(next === null ? [] : [`Next: ${next}`]),
  ];
  return (leftOut) => [
    "",
    ...(leftOut > 0 ? [`(${count(leftOut)} more ${noun} left out to keep this answer short: narrow the search.)`] : []),
    ...fixed,
  ];
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

function coverageLines(coverage: Coverage): readonly string[] {
  return [...indexLines(coverage), ...limited(coverage.troubles).map((trouble) => `Trouble: ${trouble}`)];
}

function indexLines({ indexedSessions, knownSessions, complete, rebuilding }: Coverage): readonly string[] {
  if (rebuilding) return ["index: being built again. History may be missing here: search once more in a moment."];
  if (complete) return [];
  const known = knownSessions === null ? "" : ` of ${count(Math.max(knownSessions, indexedSessions))}`;
  return [`index: ${count(indexedSessions)}${known} sessions. Indexing goes on: older history may be missing here.`];
}

function limited(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, MAX_NOTES).map((line) => clip(oneLine(line), 400));
  return lines.length > MAX_NOTES ? [...shown, `and ${count(lines.length - MAX_NOTES)} more like these.`] : shown;
}
