/** Mask: replaces secrets in a text by `[redacted:<kind>]`. */

import type { Finding, Rule } from "./rule.ts";
import { createRules } from "./rules.ts";

export interface Masked {
  readonly text: string;
  /** How many secrets of each kind were masked; empty for a clean text. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Where a long search pauses, so that others get their turn; a time slice is one. */
export interface Pause {
  breathe(): Promise<void> | undefined;
}

export interface Masker {
  /** Masks in one go: for texts of at most some 64 KiB, such as an answer to the model. */
  mask(text: string): Masked;
  /** Masks a text of any length, giving the event loop its turn. */
  maskAsync(text: string, pause: Pause): Promise<Masked>;
}

export interface MaskerOptions {
  readonly rules?: readonly Rule[];
  /** Code units looked at in one go; more than 18 Ki, which two windows share. */
  readonly windowLength?: number;
}

/** What stands up to this far before a secret may tell that it is one, such as the program it is given to. */
const CONTEXT_LENGTH = 4 * 1024;
/** A secret of up to this length is whole in the window that is asked about it. */
const LONGEST_SECRET = 14 * 1024;
const OVERLAP = CONTEXT_LENGTH + LONGEST_SECRET;

const NOTHING: Masked["counts"] = Object.freeze({});

/** Masks nothing: for `redact: false`. */
export const openMasker: Masker = {
  mask: (text) => ({ text, counts: NOTHING }),
  maskAsync: (text) => Promise.resolve({ text, counts: NOTHING }),
};

export function createMasker({ rules = createRules(), windowLength = 64 * 1024 }: MaskerOptions = {}): Masker {
  /** Yields undefined between two steps; a step is one rule on one window. */
  function* findAll(text: string): Generator<undefined, Finding[]> {
    const findings: Finding[] = [];
    for (let from = 0; ; from += windowLength - OVERLAP) {
      const window = text.slice(from, from + windowLength);
      const isLast = from + windowLength >= text.length;
      // Each secret is found in one window, the one that shows what stands before it and all of itself.
      const first = from === 0 ? 0 : CONTEXT_LENGTH;
      const end = isLast ? window.length : windowLength - LONGEST_SECRET;
      for (const rule of rules) {
        if (!rule.hints.some((hint) => window.includes(hint))) continue;
        for (const found of rule.find(window)) {
          if (found.start < first || found.start >= end) continue;
          findings.push({ kind: found.kind, start: from + found.start, end: from + found.end });
        }
        yield;
      }
      if (isLast) return findings;
    }
  }

  return {
    mask(text) {
      const search = findAll(text);
      let step = search.next();
      while (step.done !== true) step = search.next();
      return replace(text, step.value);
    },
    async maskAsync(text, pause) {
      const search = findAll(text);
      let step = search.next();
      while (step.done !== true) {
        await pause.breathe();
        step = search.next();
      }
      return replace(text, step.value);
    },
  };
}

function replace(text: string, findings: readonly Finding[]): Masked {
  if (findings.length === 0) return { text, counts: NOTHING };
  const counts: Record<string, number> = {};
  let masked = "";
  let written = 0;
  for (const { kind, start, end } of merge(findings)) {
    masked += `${text.slice(written, start)}[redacted:${kind}]`;
    counts[kind] = (counts[kind] ?? 0) + 1;
    written = end;
  }
  return { text: masked + text.slice(written), counts };
}

/** Findings that overlap become one, of the kind of the first (of the longer one when both begin at one place). */
function merge(findings: readonly Finding[]): Finding[] {
  const merged: Finding[] = [];
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || finding.start >= last.end) merged.push(finding);
    else if (finding.end > last.end)
      merged[merged.length - 1] = { kind: last.kind, start: last.start, end: finding.end };
  }
  return merged;
}
