/**
 * JSON text: prints a value as `JSON.stringify(value, null, 2)` does, in pieces, so that megabytes of text are written
 * in slices of time.
 */

/** Code units of a string that are escaped in one go. */
const PIECE_LENGTH = 32 * 1024;

/**
 * Yields the pieces of a value's JSON text. Lines after the first are indented by `indent` spaces.
 * @param value JSON-like; a property that is undefined is left out
 */
export function* jsonPieces(value: unknown, indent = 0): Generator<string> {
  if (typeof value === "string") yield* stringPieces(value);
  else if (Array.isArray(value)) {
    yield* listPieces(
      "[",
      value.map((item): readonly [string, unknown] => ["", item ?? null]),
      "]",
      indent,
    );
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    yield* listPieces(
      "{",
      entries.map(([key, item]): readonly [string, unknown] => [`${JSON.stringify(key)}: `, item]),
      "}",
      indent,
    );
  } else yield JSON.stringify(value ?? null) ?? "null";
}

function* listPieces(
  open: string,
  items: readonly (readonly [label: string, value: unknown])[],
  close: string,
  indent: number,
): Generator<string> {
  if (items.length === 0) {
    yield open + close;
    return;
  }
  const line = `\n${" ".repeat(indent + 2)}`;
  for (const [index, [label, value]] of items.entries()) {
    yield (index === 0 ? open : ",") + line + label;
    yield* jsonPieces(value, indent + 2);
  }
  yield `\n${" ".repeat(indent)}${close}`;
}

function* stringPieces(text: string): Generator<string> {
  if (text.length <= PIECE_LENGTH) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PIECE_LENGTH, text.length);
    // A pair cut in two would be escaped as two lone surrogates.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
