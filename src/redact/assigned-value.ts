/** Assigned value: tells a secret from everything else that code and prose give to a name such as "password". */

import { entropy } from "./rule.ts";

export interface AssignedName {
  /** `DB_PASSWORD` */
  readonly whole: string;
  /** Its last word: `PASSWORD`. */
  readonly word: string;
  /** The sign, with the spaces around it. */
  readonly sign: string;
}

export interface AssignedValue {
  /** Without quotes. */
  readonly text: string;
  /** "open" is a quote that is not closed on the line. */
  readonly quotes: "none" | "open" | "closed";
}

/**
 * Bits a character; a value must also mix letters with digits or signs, which words and identifiers rarely do. Eight
 * characters have 3 bits at most, so a value of three kinds of characters may repeat some.
 */
const LEAST_ENTROPY = 3;
const LEAST_MIXED_ENTROPY = 2.5;
const LEAST_LENGTH = 8;
/** Of a value in quotes that its name alone makes a secret. */
const LEAST_NAMED_LENGTH = 6;
/** Code units of a value that are judged: enough to tell, and no more work for long runs. */
const JUDGED_LENGTH = 64;

/** Member access, paths, types and colours: code that names where the secret comes from. */
const CODE = /^[a-z_]\w*(?:\??\.[a-z_]\w*)+$|^[./~]|:\/\/|^<|^#[\da-f]{3,8}$|%[A-Z_]+%|\*\*\*|^(?:0x|sha\d+-)/iu;
/** Calls, subscripts and templates, of which no character may stand in a value without quotes. */
const SYNTAX = /[()[\]{}$]/u;
/** In quotes signs are just signs, but for a template, a reference or a call as a whole. */
const TEMPLATE =
  /[#$]\{[^}]{0,100}\}|\$\([^)]{0,100}\)|\{\{|<%|\$[A-Z_]{2}|^\$[A-Za-z_]|^[A-Za-z_][\w.]*\(.*\)$|^[[{]/u;
const PLACEHOLDER = /example|placeholder|change.?me|your[_-]|xxxx|dummy|redacted|\.\.\.|1234567/iu;
/** `Uint8Array`, `OAuth2Client` */
const TYPE_NAME = /^[A-Z][A-Za-z]{0,30}\d{1,3}(?:[A-Z][a-z]{1,30}){1,4}(?:\[\])?$/u;

const PASSWORD_WORD = /^(?:pass|password|passwd|passphrase|pwd)$/iu;
const CONSTANT = /^[A-Z][A-Z\d_]*$/u;
const VARIABLE = /^[a-z\d]+(?:_[a-z\d]+)+$/u;
/** Names of messages and actions about a password. */
const MESSAGE_NAME =
  /^(?:BAD|CHANGE|CONFIRM|EMPTY|ENTER|ERR|ERROR|EXPIRED|FORGOT|HIDE|INCORRECT|INVALID|LABEL|MISSING|MSG|NEW|NO|RESET|SET|SHOW|UPDATE|WEAK|WRONG)_/iu;
/** Words of texts about a secret, or of a value's description, which are not the secret. */
const MESSAGE =
  /(?<![a-z])(?:passwords?|passphrase|passwd|tokens?|secrets?|keys?|credentials?|invalid|required|optional|missing|must|please|enter|cannot|failed|wrong|incorrect|string|number|boolean|null|none|true|false|undefined|hidden|unknown|default)(?![a-z])/iu;

export function isSecretOf(name: AssignedName, { text: value, quotes }: AssignedValue): boolean {
  if (CODE.test(value) || PLACEHOLDER.test(value)) return false;
  if (quotes === "none") {
    // `PASS: test-name1` is the outcome of a test.
    const isOutcome = /^pass$/iu.test(name.whole) && name.sign.includes(":");
    return !isOutcome && !SYNTAX.test(value) && !isIdentifier(value, name) && looksRandom(value);
  }
  if (TEMPLATE.test(value)) return false;
  const [first = ""] = value.trimStart().split(/\s/u, 1);
  return looksRandom(first) || (quotes === "closed" && isSecretByName(name, value));
}

/** An identifier with a number at its end (token: accessToken2) is no secret, nor is a type. */
function isIdentifier(value: string, name: AssignedName): boolean {
  return /^[a-z_]+\d{0,3}$/iu.test(value) || (name.sign.includes(":") && TYPE_NAME.test(value));
}

function looksRandom(value: string): boolean {
  if (value.length < LEAST_LENGTH || !/[a-z]/iu.test(value) || !/\d/u.test(value)) return false;
  const kinds = [/[a-z]/u, /[A-Z]/u, /\d/u, /[^A-Za-z\d]/u].filter((kind) => kind.test(value)).length;
  return entropy(value.slice(0, JUDGED_LENGTH)) >= (kinds >= 3 ? LEAST_MIXED_ENTROPY : LEAST_ENTROPY);
}

/**
 * Whether any value of this name is a secret. Shells and .env files take no space beside "="; with one, or with ":", the
 * name may be a constant of a program, which holds a password only when it is a phrase given to a password.
 */
function isSecretByName({ whole, word, sign }: AssignedName, value: string): boolean {
  const isPassword = PASSWORD_WORD.test(word);
  if (value.trim().length < LEAST_NAMED_LENGTH || MESSAGE_NAME.test(whole) || MESSAGE.test(value)) return false;
  if (sign === "=" && (CONSTANT.test(whole) || (isPassword && VARIABLE.test(whole)))) return true;
  const isPhrase = /\S\s+\S/u.test(value) && !/[A-Z]/u.test(value);
  return isPassword && isPhrase && CONSTANT.test(whole) && whole !== word;
}
