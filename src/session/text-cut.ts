/** Text cut: places where a text can be cut into pieces of a size in UTF-8 bytes without breaking a character. */

const MOST_BYTES_PER_UNIT = 3;
const ENCODER = new TextEncoder();
/** What belongs to the character before it: marks, joiners, skin tones. */
const EXTENDS_PREVIOUS = /^(?:\p{M}|\u200d|\p{Emoji_Modifier})/u;
const ZERO_WIDTH_JOINER = "\u200d";
const PAIR = /^[\ud800-\udbff][\udc00-\udfff]$/;
/** UTF-16 units to look for such a place; a longer stack of marks is cut between code points. */
const LOOK_AROUND = 64;

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}

/** The nearest place at or before `index` (UTF-16 units) where the text can be cut. */
export function cutPlace(text: string, index: number): number {
  const lowest = Math.max(0, index - LOOK_AROUND);
  for (let place = index; place >= lowest; place -= 1) if (!isInsideCharacter(text, place)) return place;
  return isInsidePair(text, index) ? index - 1 : index;
}

function isInsideCharacter(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return false;
  return (
    isInsidePair(text, index) ||
    EXTENDS_PREVIOUS.test(text.slice(index, index + 2)) ||
    text.charAt(index - 1) === ZERO_WIDTH_JOINER
  );
}

function isInsidePair(text: string, index: number): boolean {
  return PAIR.test(text.slice(index - 1, index + 1));
}

/** The furthest place (UTF-16 units) up to which the text from `start` on takes at most `bytes` bytes (at least 4). */
export function endWithin(text: string, start: number, bytes: number): number {
  if ((text.length - start) * MOST_BYTES_PER_UNIT <= bytes) return text.length;
  const { read } = ENCODER.encodeInto(text.slice(start, start + bytes), new Uint8Array(bytes));
  const end = start + read;
  if (end >= text.length) return text.length;
  const place = cutPlace(text, end);
  return place > start ? place : end;
}

/** The earliest place (UTF-16 units) from which the rest of the text takes at most `bytes` bytes. */
export function startWithin(text: string, bytes: number): number {
  let start = Math.max(0, text.length - bytes);
  for (let over = utf8Length(text.slice(start)) - bytes; over > 0;) {
    const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
    over -= utf8Length(character);
    start += character.length;
  }
  const highest = Math.min(text.length, start + LOOK_AROUND);
  for (let place = start; place <= highest; place += 1) if (!isInsideCharacter(text, place)) return place;
  return isInsidePair(text, start) ? start + 1 : start;
}
