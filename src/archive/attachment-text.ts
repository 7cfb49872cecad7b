/** Attachment text: the bytes of an attachment read as text, as far as they are one, so that secrets can be masked. */

import type { TimeSlice } from "../runtime/time-slice.ts";

/** Types that are text whatever their bytes look like. */
const TEXT_TYPE = /^text\/|[/+.-](?:json|xml|ya?ml|toml|javascript|ecmascript|typescript|x?html|sql|sh)\b/iu;
/** UTF-16 units encoded in one go. */
const PIECE_LENGTH = 128 * 1024;

type Encoding = "utf8" | "utf16le" | "latin1";

/** Takes the bytes piece by piece; never holds a text that lost a byte. */
export class AttachmentText {
  readonly #isTextType: boolean;
  #bytes: Buffer[] = [];

  /** @param mime as the host gives it */
  constructor(mime: string) {
    this.#isTextType = TEXT_TYPE.test(mime);
  }

  add(bytes: Buffer): void {
    this.#bytes.push(bytes);
  }

  /** Base64 of the masked text, in the encoding it had; null when nothing was masked, or when it is no text. */
  async masked(mask: (text: string) => Promise<string>, slice: TimeSlice): Promise<string | null> {
    for (const encoding of this.#encodings()) {
      const text = await this.#decoded(encoding, slice);
      if (text === null || (!this.#isTextType && text.includes("\0"))) continue;
      this.#bytes = [];
      const masked = await mask(text);
      return masked === text ? null : base64Of(masked, encoding, slice);
    }
    return null;
  }

  /** In the order they are tried. Latin-1 gives every byte back, so it serves for any other encoding of a text. */
  #encodings(): readonly Encoding[] {
    const [first, second] = this.#bytes[0] ?? [];
    if (first === 0xff && second === 0xfe) return ["utf16le", ...(this.#isTextType ? (["latin1"] as const) : [])];
    return this.#isTextType ? ["utf8", "latin1"] : ["utf8"];
  }

  /** null when the bytes are not in this encoding. */
  async #decoded(encoding: Encoding, slice: TimeSlice): Promise<string | null> {
    const decode = encoding === "latin1" ? (bytes?: Buffer) => bytes?.toString("latin1") ?? "" : strict(encoding);
    let text = "";
    try {
      for (const bytes of this.#bytes) {
        text += decode(bytes);
        await slice.breathe();
      }
      return text + decode();
    } catch {
      return null;
    }
  }
}

/** Decodes piece by piece, and without a piece ends; throws a TypeError on what is not in the encoding. */
function strict(encoding: "utf8" | "utf16le"): (bytes?: Buffer) => string {
  const label = encoding === "utf8" ? "utf-8" : "utf-16le";
  const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
  return (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
}

async function base64Of(text: string, encoding: Encoding, slice: TimeSlice): Promise<string> {
  let encoded = "";
  let rest: Buffer = Buffer.alloc(0);
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PIECE_LENGTH, text.length);
    // A pair cut in two has no UTF-8 form.
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
    const bytes = Buffer.concat([rest, Buffer.from(text.slice(start, end), encoding)]);
    // Three bytes are four characters, so what is left over belongs to the next piece.
    const whole = bytes.length - (bytes.length % 3);
    encoded += bytes.toString("base64", 0, whole);
    rest = bytes.subarray(whole);
    start = end;
    await slice.breathe();
  }
  return encoded + rest.toString("base64");
}
