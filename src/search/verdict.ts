/**
 * Verdict: whether a session matches, as far as it is known. Logic of three values: null is "not known yet", so that a
 * session is read only as far as its verdict needs.
 */

import type { Plan, PlanNode } from "./plan.ts";

export type Verdict = boolean | null;

/** Whether the query holds, given what is known of its atoms. */
export function matchVerdict({ root }: Plan, known: readonly Verdict[]): Verdict {
  return root === null ? true : evaluate(root, known);
}

/**
 * Whether the query holds and some word (in a message or a title) says so. Under a role or date, a session matches by
 * a word, or by having a message of that role and date.
 */
export function wordVerdict({ root, atoms }: Plan, known: readonly Verdict[]): Verdict {
  const isWord = atoms.map((atom) => !atom.excluded && (atom.kind === "term" || atom.kind === "title"));
  return root === null ? false : evaluateByWord(root, known, isWord);
}

/** Whether a part of the query holds, given what is known of the atoms. */
export function evaluate(node: PlanNode, known: readonly Verdict[]): Verdict {
  switch (node.kind) {
    case "atom":
      return known[node.index] ?? null;
    case "not":
      return not(evaluate(node.operand, known));
    case "and":
      return every(node.operands.map((operand) => evaluate(operand, known)));
    case "or":
      return some(node.operands.map((operand) => evaluate(operand, known)));
  }
}

function evaluateByWord(node: PlanNode, known: readonly Verdict[], isWord: readonly boolean[]): Verdict {
  switch (node.kind) {
    case "atom":
      return isWord[node.index] === true ? (known[node.index] ?? null) : false;
    case "not":
      return false;
    case "and":
      return every([
        evaluate(node, known),
        some(node.operands.map((operand) => evaluateByWord(operand, known, isWord))),
      ]);
    case "or":
      return some(node.operands.map((operand) => evaluateByWord(operand, known, isWord)));
  }
}

function not(verdict: Verdict): Verdict {
  return verdict === null ? null : !verdict;
}

function every(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(false)) return false;
  return verdicts.includes(null) ? null : true;
}

function some(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(true)) return true;
  return verdicts.includes(null) ? null : false;
}

/**
 * A set that holds every session that can match, from such sets of single atoms; null where nothing bounds it. An
 * exclusion bounds nothing.
 */
export function boundSessions(
  node: PlanNode,
  ofAtom: (index: number) => ReadonlySet<number> | null,
): ReadonlySet<number> | null {
  switch (node.kind) {
    case "atom":
      return ofAtom(node.index);
    case "not":
      return null;
    case "and":
      return intersection(node.operands.map((operand) => boundSessions(operand, ofAtom)));
    case "or":
      return union(node.operands.map((operand) => boundSessions(operand, ofAtom)));
  }
}

function intersection(sets: readonly (ReadonlySet<number> | null)[]): ReadonlySet<number> | null {
  const [smallest, ...others] = sets.filter((set) => set !== null).sort((one, other) => one.size - other.size);
  if (smallest === undefined) return null;
  return new Set([...smallest].filter((key) => others.every((set) => set.has(key))));
}

function union(sets: readonly (ReadonlySet<number> | null)[]): ReadonlySet<number> | null {
  const all = new Set<number>();
  for (const set of sets) {
    if (set === null) return null;
    for (const key of set) all.add(key);
  }
  return all;
}
