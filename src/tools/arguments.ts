/**
 * Arguments: what the model sent, checked strictly. Hosts neither validate nor complete tool arguments, so every tool
 * parses its own. What is refused is said by name, with what was given and what is accepted.
 *
 * Three habits of models are met half-way, since they can mean only one thing: null or an empty string for an argument
 * that may be left out is as if left out, a whole number in quotes is that number, "true" and "false" are booleans.
 */

import { z } from "zod";

import { clip } from "../render/cut.ts";
import type { MessageRole } from "../session/session.ts";
import { wellFormed } from "../session/well-formed.ts";

/** What the model sent cannot be used. The message is written for the model. */
export class ArgumentError extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.name = "ArgumentError";
    this.field = field;
  }
}

export interface Argument<Value> {
  /** Plain schema of the value, shown to the model; whether it may be left out is said by `optional`. */
  readonly schema: z.ZodType<Value>;
  readonly optional: boolean;
  /** What the argument is for. */
  readonly about: string;
  /** The accepted forms, as they follow "use". */
  readonly accepts: string;
}

export type Arguments = Readonly<Record<string, Argument<unknown>>>;

type ValueOf<A> = A extends Argument<infer Value> ? Value : never;
/** Parsed arguments: null where one was left out. */
export type Parsed<A extends Arguments> = { readonly [Name in keyof A]: ValueOf<A[Name]> | null };

export const text = (about: string, accepts: string, optional = true): Argument<string> => ({
  schema: z.string(),
  optional,
  about,
  accepts,
});

/** @param range of a whole number; a maximum of null leaves the upper end to the tool */
export const whole = (about: string, accepts: string, range: { min: number; max: number | null }): Argument<number> => {
  const schema = z.number().int().min(range.min);
  return { schema: range.max === null ? schema : schema.max(range.max), optional: true, about, accepts };
};

export const choice = <const Choice extends string>(
  about: string,
  choices: readonly [Choice, ...Choice[]],
): Argument<Choice> => ({
  schema: z.enum(choices),
  optional: true,
  about,
  accepts: choices.map((value) => JSON.stringify(value)).join(" or "),
});

export const flag = (about: string): Argument<boolean> => ({
  schema: z.boolean(),
  optional: true,
  about,
  accepts: "true or false",
});

export const roleArgument = (about: string): Argument<MessageRole> => choice(about, ["user", "assistant"]);

/** The arguments as a raw zod shape, for the host to show to the model. */
export function shapeOf(args: Arguments): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(args).map(([name, { schema, optional, about, accepts }]) => {
      const described = `${about} Use ${accepts}.`;
      return [name, optional ? schema.optional().describe(described) : schema.describe(described)];
    }),
  );
}

/**
 * @param given what the model sent
 * @throws ArgumentError
 */
export function parseArguments<A extends Arguments>(args: A, given: unknown): Parsed<A> {
  const fields = fieldsOf(given);
  const names = Object.keys(args);
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new ArgumentError(unknown, `Unknown argument ${show(unknown)}. This tool takes: ${names.join(", ")}.`);
  }
  const parsed = names.map((name) => [name, parseOne(name, args[name], fields[name])]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value was parsed by the schema of its own name
  return Object.fromEntries(parsed) as Parsed<A>;
}

function parseOne(name: string, argument: Argument<unknown> | undefined, given: unknown): unknown {
  if (argument === undefined) return null;
  const { schema, optional, accepts } = argument;
  if (given === undefined || given === null || (optional && given === "")) {
    if (optional) return null;
    throw new ArgumentError(name, `${name} is missing: use ${accepts}.`);
  }
  const exact = schema.safeParse(given);
  if (exact.success) return exact.data;
  const meant = schema.safeParse(unquoted(given));
  if (meant.success) return meant.data;
  throw new ArgumentError(name, `${name} was ${show(given)}: use ${accepts}.`);
}

function unquoted(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (value === "true" || value === "false") return value === "true";
  return /^\d{1,9}$/u.test(value.trim()) ? Number(value) : value;
}

function fieldsOf(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null) return {};
  if (typeof given === "object" && !Array.isArray(given)) return { ...given };
  throw new ArgumentError("arguments", `The arguments were ${show(given)}: use a JSON object.`);
}

/** A value as the model wrote it, at most about 100 characters of it. */
function show(value: unknown): string {
  const json = typeof value === "number" ? String(value) : (jsonOf(value) ?? typeof value);
  return clip(wellFormed(json), 100);
}

/** undefined for what JSON has no text for, or what is nested deeper than the stack is. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
