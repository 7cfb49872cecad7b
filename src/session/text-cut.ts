/** Text cut: places where a text can be cut into pieces of a size in UTF-8 bytes without breaking a character. */

const ENCODER = new TextEncoder();
/** What belongs to the character before it: marks, joiners, skin tones. */
const EXTENDS_PREVIOUS = /^(?:\p{M}|\u200d|\p{Emoji_Modifier})/u;
const JOINS_NEXT = /\u200d$/u;
const PAIR = /^[\ud800-\udbff][\udc00-\udfff]$/;
/** UTF-16 units to look back for such a place; a longer stack of marks is cut between code points. */
const LOOK_BACK = 64;

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}

/** The nearest place at or before `index` (UTF-16 units) where the text can be cut. */
export function cutPlace(text: string, index: number): number {
  const lowest = Math.max(0, index - LOOK_BACK);
  for (let place = index; place > lowest; place -= 1) if (!isInsideCharacter(text, place)) return place;
  return PAIR.test(text.slice(index - 1, index + 1)) ? index - 1 : index;
}

function isInsideCharacter(text: string, index: number): boolean {
  return (
    PAIR.test(text.slice(index - 1, index + 1)) ||
    EXTENDS_PREVIOUS.test(text.slice(index, index + 2)) ||
    JOINS_NEXT.test(text.slice(index - 1, index))
  );
}

/** The furthest place (UTF-16 units) up to which the text from `start` on takes at most `bytes` bytes (at least 4). */
export function endWithin(text: string, start: number, bytes: number): number {
  const { read } = ENCODER.encodeInto(text.slice(start, start + bytes), new Uint8Array(bytes));
  const end = start + read;
  if (end >= text.length) return text.length;
  const place = cutPlace(text, end);
  return place > start ? place : end;
}

/** The earliest place (UTF-16 units) from which the rest of the text takes at most `bytes` bytes. */
export function startWithin(text: string, bytes: number): number {
  const earliest = Math.max(0, text.length - bytes);
  const over = utf8Length(text.slice(earliest)) - bytes;
  if (over <= 0) return cutPlace(text, earliest);
  let start = earliest;
  for (let dropped = 0; dropped < over; start += 1) dropped += utf8Length(text.charAt(start));
  while (start < text.length && isInsideCharacter(text, start)) start += 1;
  return start;
}
