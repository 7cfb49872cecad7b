/** Unicode text: random texts in which everything occurs that makes two texts differ without looking different. */

import * as fc from "fast-check";

const PIECES = [
  ..."aeIıİixXZ éÉñ ПрЙй ΣςσΟάΪ 部署 かガ 한글 ❤☎ 🤖👩🇩🇪 ＡｅＺ «“”‘’–— - ' ß".split(""),
  ..."\u0301\u0308\u0306\u0307\u0331\u3099\u0327\ufe0f\ufe0e\u200d\u1161\u11ab\u1112\u0958\u0344\u2126\u212b\u0085\u00a0\u0345".split(
    "",
  ),
  "🤖",
  "👩\u200d💻",
  "👍\u{1f3fd}",
  "\u{e0100}",
  "\n",
  "\t",
  "  ",
  "\0",
  "\u001e",
  "\ud83d",
  "\udd0c",
];

/** Up to about 20 such pieces, sometimes among arbitrary code units. */
export function unicodeText(): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 2 }) },
  );
  return fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
}
