/**
 * Config: the plugin options a person writes beside the plugin's name, parsed once into one typed, defaulted value.
 *
 * A wrong option never keeps the plugin from loading: it is reported by name, and its default is used.
 */

import { z } from "zod";

export interface ArchiveConfig {
  /** Where session files go; null: `.opencode/sessions` of the worktree. Absolute, or relative to the worktree. */
  readonly directory: string | null;
  /** Whether the folder ignores itself for git and for search tools. */
  readonly gitignore: boolean;
  /** "reference": name, type, size and hash of an attachment; "inline": its data too. */
  readonly attachments: "reference" | "inline";
}

export interface Config {
  /** null: no archive. */
  readonly archive: ArchiveConfig | null;
  /** Whether secrets are masked in the archive, its log and the tools' answers. */
  readonly redact: boolean;
  /** Whether the /history command is offered. */
  readonly command: boolean;
  /** Whether a long first indexing is announced in the host's interface. */
  readonly toasts: boolean;
  /** Whether sessions of projects that OpenCode does not run in are indexed too. */
  readonly otherProjects: boolean;
  /** Folder of the search index, absolute or relative to OpenCode's data folder; null: `history-search` in that. */
  readonly indexDirectory: string | null;
}

export interface ParsedConfig {
  readonly config: Config;
  /** One sentence for each option that was not understood. */
  readonly problems: readonly string[];
}

const archiveOptions = {
  directory: { schema: z.string().min(1), accepts: "a folder path" },
  gitignore: { schema: z.boolean(), accepts: "true or false" },
  attachments: { schema: z.enum(["reference", "inline"]), accepts: '"reference" or "inline"' },
} as const;

const options = {
  archive: { schema: z.union([z.boolean(), z.record(z.string(), z.unknown())]), accepts: "true, false or an object" },
  redact: { schema: z.boolean(), accepts: "true or false" },
  command: { schema: z.boolean(), accepts: "true or false" },
  toasts: { schema: z.boolean(), accepts: "true or false" },
  otherProjects: { schema: z.boolean(), accepts: "true or false" },
  indexDirectory: { schema: z.string().min(1), accepts: "a folder path" },
} as const;

interface OptionRule {
  readonly schema: z.ZodType;
  readonly accepts: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reports what the rules do not accept, and returns the rest. */
function accepted(
  given: Record<string, unknown>,
  rules: Readonly<Record<string, OptionRule>>,
  prefix: string,
  problems: string[],
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const known = Object.keys(rules).join(", ");
      problems.push(`Option "${prefix}${name}" is not known and was ignored; the options here are: ${known}.`);
    } else if (value !== undefined && !rule.schema.safeParse(value).success) {
      problems.push(
        `Option "${prefix}${name}" is ${JSON.stringify(value)}, but it takes ${rule.accepts}; its default is used.`,
      );
    } else if (value !== undefined) {
      result[name] = value;
    }
  }
  return result;
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const flag = (value: unknown, fallback: boolean): boolean => (typeof value === "boolean" ? value : fallback);

/**
 * Parses the options of either host generation.
 * @param given what the host passed: an object, or nothing
 */
export function parseConfig(given: unknown): ParsedConfig {
  const problems: string[] = [];
  if (given !== undefined && given !== null && !isRecord(given)) {
    problems.push(`The plugin's options are ${JSON.stringify(given)}, but they must be an object; defaults are used.`);
  }
  const top = accepted(isRecord(given) ? given : {}, options, "", problems);
  const archive = isRecord(top["archive"]) ? accepted(top["archive"], archiveOptions, "archive.", problems) : {};
  return {
    problems,
    config: {
      archive:
        top["archive"] === false
          ? null
          : {
              directory: text(archive["directory"]),
              gitignore: flag(archive["gitignore"], true),
              attachments: archive["attachments"] === "inline" ? "inline" : "reference",
            },
      redact: flag(top["redact"], true),
      command: flag(top["command"], true),
      toasts: flag(top["toasts"], true),
      otherProjects: flag(top["otherProjects"], true),
      indexDirectory: text(top["indexDirectory"]),
    },
  };
}
