/**
 * Reference fold: what folding means, one character at a time and from tables of its own. Slow and obvious: it is what
 * the product's fold is compared with.
 */

const REPLACED: ReadonlyMap<string, string> = new Map([
  ["\0", "\u2400"],
  ...Array.from("\u2018\u2019\u201a\u201b\u2039\u203a", (quote): [string, string] => [quote, "'"]),
  ...Array.from("\u201c\u201d\u201e\u201f\u00ab\u00bb", (quote): [string, string] => [quote, '"']),
  ...Array.from("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", (dash): [string, string] => [dash, "-"]),
]);

export function referenceFold(text: string): string {
  let plain = "";
  for (const character of text) plain += foldCharacter(character);
  let unaccented = "";
  let isAfterLatin = false;
  for (const character of plain.normalize("NFD")) {
    if (/\p{M}/u.test(character)) {
      if (!isAfterLatin) unaccented += character;
      continue;
    }
    isAfterLatin = /\p{Script=Latin}/u.test(character);
    unaccented += character;
  }
  let spaced = "";
  for (const character of unaccented.normalize("NFC")) {
    const isSpace = /[\s\u0085]/u.test(character);
    if (!isSpace) spaced += character;
    else if (!spaced.endsWith(" ")) spaced += " ";
  }
  return spaced;
}

function foldCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return "";
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCodePoint(code - 0xfee0).toLowerCase();
  const lower = (REPLACED.get(character) ?? character).toLowerCase();
  return lower === "ς" ? "σ" : lower;
}
