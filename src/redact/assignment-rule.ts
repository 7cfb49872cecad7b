/**
 * Assignment rule: a value that looks like a secret given to something that is called a password, secret, token or key,
 * in any notation (`DB_PASSWORD=…`, `"apiKey": "…"`, `client_secret => '…'`, `?access_token=…`).
 */

import { type AssignedName, type AssignedValue, isSecretOf } from "./assigned-value.ts";
import type { Finding, Rule } from "./rule.ts";

/**
 * The name's last word (group 1) and the sign (group 2, with its spaces). Names end right before the sign:
 * `tokenCount: 12` and `passwordField = …` assign no secret.
 */
const ASSIGNMENT =
  /(password|passwd|passphrase|pass|pwd|secret|token|credentials?|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|account[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key)(?:\\?["'`\]]){0,2}([ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4})/giu;

/** A value in quotes that are closed on the same line: group 2. */
const QUOTED = /(\\?["'`])((?:(?!\1)(?:\\.|[^\\\r\n])){1,400})\1/uy;

/** A value up to white space: group 2. An "&" ends it when another parameter of a URL or another command follows. */
const UNQUOTED =
  /(\\?["'`])?([^\s"'`<>,;&\\]{1,400}(?:&(?![&#]|amp;|[\w.%~[\]-]{1,64}=)[^\s"'`<>,;&\\]{1,100}){0,4})/uy;

/** Longer names are looked at from their end. */
const LONGEST_NAME = 64;

export function createAssignmentRule(): Rule {
  const kind = "password";
  return {
    kind,
    // A sign that stands in every assignment and hardly ever missing: the names differ in case, so they are no hints.
    hints: ["=", ":"],
    find(text) {
      const findings: Finding[] = [];
      ASSIGNMENT.lastIndex = 0;
      for (let match = ASSIGNMENT.exec(text); match !== null; match = ASSIGNMENT.exec(text)) {
        // A value that is none may hold another assignment, so the search goes on right after the sign.
        const value = valueAt(text, ASSIGNMENT.lastIndex);
        if (value === null) continue;
        const name = nameOf(text, match.index, match[1] ?? "", match[2] ?? "");
        if (name === null || !isSecretOf(name, value)) continue;
        const end = value.start + value.text.length;
        findings.push({ kind, start: value.start, end });
        ASSIGNMENT.lastIndex = end;
      }
      return findings;
    },
  };
}

/** null for what can be no secret. */
function valueAt(text: string, at: number): (AssignedValue & { readonly start: number }) | null {
  QUOTED.lastIndex = at;
  const quoted = QUOTED.exec(text);
  UNQUOTED.lastIndex = at;
  const match = quoted ?? UNQUOTED.exec(text);
  if (match === null) return null;
  const { 1: quote = "", 2: value = "" } = match;
  // Most of what follows such a name is a word.
  if (quoted === null && !/\d/u.test(value)) return null;
  const quotes = quoted !== null ? "closed" : quote === "" ? "none" : "open";
  return { text: value, quotes, start: at + quote.length };
}

/** null for what only ends like such a name. */
function nameOf(text: string, index: number, word: string, sign: string): AssignedName | null {
  const before = text.slice(Math.max(0, index - LONGEST_NAME), index);
  // A masked secret is named after its kind: "[redacted:github-token]".
  if (before.includes("[redacted:") && /\[redacted:[\w-]*$/u.test(before)) return null;
  const whole = before.slice(before.search(/\w*$/u)) + word;
  // "bypass" and "compass" are other words, "dbPass" and "DB_PASS" are not.
  if (/^pass$/iu.test(word) && !/(?:^|[\d_])(?:pass|PASS|Pass)$|[a-z]Pass$/u.test(whole)) return null;
  return { whole, word, sign };
}
