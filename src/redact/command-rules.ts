/** Command rules: passwords given to a program as an argument, known by the program and the option before them. */

import type { Finding, Rule } from "./rule.ts";
import { isStandIn } from "./stand-in.ts";

interface Range {
  readonly start: number;
  readonly end: number;
}

interface CommandFormat {
  /** Literals of which each of the programs holds one. */
  readonly hints: readonly string[];
  readonly program: RegExp;
  /** Everything from the white space before the option to the argument. */
  readonly option: RegExp;
  /** The password in the text, given where the argument begins. */
  readonly password: (text: string, at: number) => Range | null;
}

/** Shorter ones are no passwords, and longer ones no arguments that somebody typed. */
const LEAST_LENGTH = 3;

/**
 * A piece of a command, which goes on to a line break, "|", ";" or "&" outside quotes. A quote that nothing closes ends
 * it too: that one was opened before the program.
 */
const PIECE = /[^\n|;&"'\\]+|\\[\s\S]|"(?:\\[\s\S]|[^"\\]){0,2000}"|'[^']{0,2000}'/uy;

/** An argument in quotes, which may be escaped (group 2), or up to what ends one (group 3). */
const ARGUMENT = /(\\?["'])((?:(?!\1)(?:\\.|[^\\\r\n])){1,200})\1|([^\s"'`\\|;&<>()]{1,200})/uy;

/** `-p3306:3306` before a program's name publishes a port, here and in `docker run --name mysql -p3306:3306`. */
const PORTS = /^(?:[\d.]+:)?\d{1,5}(?::\d{1,5})?(?:\/\w+)?$/u;

export function createCommandRules(): Rule[] {
  return [
    // https://curl.se/docs/manpage.html#-u: "-u user:password", also behind options that take no argument (-su).
    commandRule({
      hints: ["curl"],
      program: /\bcurl(?:\.exe)?(?=\s)/gu,
      option:
        /[\s"'(](?:--(?:proxy-)?user(?:[ \t]{1,8}|=)|-[#0-46BGIJLMNOQRSVZafgijklnpqsv]{0,12}[uU](?:[ \t]{1,8}|=)?)/gu,
      password: afterColon,
    }),
    // https://dev.mysql.com/doc/refman/8.4/en/password-security-user.html: "-p" takes no space before the password.
    commandRule({
      hints: ["mysql", "mariadb"],
      program: /\b(?:mysql(?:dump|admin|import|pump|check|show|slap|sh)?|mariadb(?:-[a-z]{2,10})?)(?:\.exe)?(?=\s)/gu,
      option: /\s(?:-p|--password=)/gu,
      password(text, at) {
        const argument = argumentAt(text, at);
        return argument === null || PORTS.test(text.slice(argument.start, argument.end)) ? null : argument;
      },
    }),
  ];
}

function commandRule({ hints, program, option, password }: CommandFormat): Rule {
  const kind = "password";
  return {
    kind,
    hints,
    find(text) {
      const findings: Finding[] = [];
      program.lastIndex = 0;
      for (let match = program.exec(text); match !== null; match = program.exec(text)) {
        const begin = program.lastIndex;
        // "--with-mysql -pthread" runs no mysql.
        if (text[match.index - 1] === "-") continue;
        const end = endOfCommand(text, begin);
        for (const { index, 0: before } of text.slice(begin, end).matchAll(option)) {
          const found = password(text, begin + index + before.length);
          if (found === null || found.end - found.start < LEAST_LENGTH) continue;
          if (!isStandIn(text.slice(found.start, found.end))) findings.push({ kind, ...found });
        }
        program.lastIndex = end;
      }
      return findings;
    },
  };
}

function endOfCommand(text: string, begin: number): number {
  let end = begin;
  for (PIECE.lastIndex = begin; PIECE.test(text);) end = PIECE.lastIndex;
  return end;
}

/** What stands in the argument at this place, without its quotes. */
function argumentAt(text: string, at: number): Range | null {
  ARGUMENT.lastIndex = at;
  const match = ARGUMENT.exec(text);
  if (match === null) return null;
  const start = at + (match[1]?.length ?? 0);
  return { start, end: start + (match[2] ?? match[3] ?? "").length };
}

/** The password of `user:password`, of which either both or the password alone may stand in quotes. */
function afterColon(text: string, at: number): Range | null {
  const argument = argumentAt(text, at);
  if (argument === null) return null;
  const [user = ""] = text.slice(argument.start, argument.end).split(":", 1);
  const start = argument.start + user.length + 1;
  // A mask has a colon too.
  if (start > argument.end || user.endsWith("[redacted")) return null;
  if (start < argument.end) return { start, end: argument.end };
  return argument.start === at ? argumentAt(text, start) : null;
}
