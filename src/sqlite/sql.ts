/**
 * SQL: a statement's text and its parameters as one value, composed from fragments.
 *
 * An interpolated value becomes a `?` with a parameter; an interpolated statement is spliced in with its parameters.
 * There is no way to splice a plain string into the text: what varies in the text is chosen among written fragments.
 */

import type { SqlStatement, SqlValue } from "./database.ts";

const FRAGMENT: unique symbol = Symbol("sql");

/** A statement made by `sql`, which alone may be spliced into another one. */
export interface SqlFragment extends SqlStatement {
  readonly [FRAGMENT]: true;
}

function fragment(text: string, parameters: readonly SqlValue[]): SqlFragment {
  return { text, parameters, [FRAGMENT]: true };
}

function isFragment(value: SqlValue | SqlFragment): value is SqlFragment {
  return typeof value === "object" && value !== null && FRAGMENT in value;
}

function build(strings: TemplateStringsArray, values: readonly (SqlValue | SqlFragment)[]): SqlFragment {
  let text = strings[0] ?? "";
  const parameters: SqlValue[] = [];
  for (const [index, value] of values.entries()) {
    if (isFragment(value)) {
      text += value.text;
      parameters.push(...value.parameters);
    } else {
      text += "?";
      parameters.push(value);
    }
    text += strings[index + 1] ?? "";
  }
  return fragment(text, parameters);
}

/** Joins fragments with a written separator, such as `sql.join(conditions, sql` AND `)`. */
function join(fragments: readonly SqlFragment[], separator: SqlFragment): SqlFragment {
  return fragment(
    fragments.map((item) => item.text).join(separator.text),
    fragments.flatMap((item, index) =>
      index === 0 ? [...item.parameters] : [...separator.parameters, ...item.parameters],
    ),
  );
}

/** Values between parentheses: `WHERE id IN ${sql.list(ids)}`. An empty list is `(NULL)`, which nothing is in. */
function list(values: readonly SqlValue[]): SqlFragment {
  if (values.length === 0) return fragment("(NULL)", []);
  return fragment(`(${values.map(() => "?").join(", ")})`, values);
}

/** Text that this product wrote as a constant (the schema, a pragma's number): never a person's text. */
function constant(text: string): SqlFragment {
  return fragment(text, []);
}

/** Makes one statement: sql`SELECT text FROM documents WHERE id = ${id}`. */
export const sql = Object.assign(
  (strings: TemplateStringsArray, ...values: readonly (SqlValue | SqlFragment)[]): SqlFragment =>
    build(strings, values),
  { join, list, constant, empty: fragment("", []) },
);
