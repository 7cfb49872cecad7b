/**
 * Assignment rule: a value of high entropy given to something that is called a password, secret, token or key, in any
 * notation (`DB_PASSWORD=…`, `"apiKey": "…"`, `client_secret => '…'`, `?access_token=…`).
 */

import { entropy, type Finding, type Rule } from "./rule.ts";

/**
 * The name's last word, the sign, then the value in group 2 (in quotes, or up to white space). Names end right before
 * the sign: `tokenCount: 12` and `passwordField = …` assign no secret.
 */
const ASSIGNMENT =
  /(?:password|passwd|passphrase|pwd|secret|token|credentials?|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|account[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key)(?:\\?["'`\]]){0,2}[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}(\\?["'`])?([^\s"'`<>,;&\\]{8,400})/giu;

/** Bits a character; a value must also mix letters with digits or signs, which words and identifiers rarely do. */
const LEAST_ENTROPY = 3;

/** Calls, member access, templates, paths and types: code that names where the secret comes from. */
const CODE = /[()[\]{}$]|^[a-z_]\w*(?:\??\.[a-z_]\w*)+$|^[./~]|:\/\/|^<|%[A-Z_]+%|\*\*\*|^(?:0x|sha\d+-)/iu;
const PLACEHOLDER = /example|placeholder|change.?me|your[_-]|xxxx|dummy|redacted|\.\.\.|1234567/iu;

export function createAssignmentRule(): Rule {
  const kind = "password";
  return {
    kind,
    // A sign that stands in every assignment and hardly ever missing: the names differ in case, so they are no hints.
    hints: ["=", ":"],
    find(text) {
      const findings: Finding[] = [];
      for (const match of text.matchAll(ASSIGNMENT)) {
        const value = match[2] ?? "";
        if (!looksSecret(value, match[1] !== undefined)) continue;
        const end = match.index + match[0].length;
        findings.push({ kind, start: end - value.length, end });
      }
      return findings;
    },
  };
}

function looksSecret(value: string, quoted: boolean): boolean {
  if (CODE.test(value) || PLACEHOLDER.test(value)) return false;
  if (!/[a-z]/iu.test(value) || !/\d/u.test(value)) return false;
  // An identifier with a number at its end (token: accessToken2) is no secret; a quoted value is no identifier.
  if (!quoted && /^[a-z_]+\d{0,3}$/iu.test(value)) return false;
  return entropy(value) >= LEAST_ENTROPY;
}
