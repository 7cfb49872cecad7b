/** Data URL (RFC 2397): a file that is part of its own address, in base64 or with percent signs. */

const HEAD = /^data:[^,]*,/u;
const ESCAPE = /%([\da-f]{2})/giu;
/** Characters decoded in one go; four of base64 are three bytes. */
const PIECE_LENGTH = 512 * 1024;

export interface DataUrl {
  /** The file in base64; null when the address holds it in the other way. */
  readonly base64: string | null;
  /** The file's bytes in pieces, each a short piece of work. */
  pieces(): Generator<Buffer>;
}

/** null for an address of another kind. */
export function parseDataUrl(url: string): DataUrl | null {
  const head = HEAD.exec(url)?.[0];
  if (head === undefined) return null;
  const payload = url.slice(head.length);
  if (!/;base64,$/iu.test(head)) return { base64: null, pieces: () => unescapedPieces(payload) };
  const base64 = plainBase64(payload);
  return { base64, pieces: () => base64Pieces(base64) };
}

function* base64Pieces(base64: string): Generator<Buffer> {
  for (let start = 0; start < base64.length; start += PIECE_LENGTH) {
    yield Buffer.from(base64.slice(start, start + PIECE_LENGTH), "base64");
  }
}

/** Without line breaks and percent signs, which would shift the groups of four. Most payloads have none. */
function plainBase64(payload: string): string {
  const isPlain = ["%", "\n", "\r", " "].every((sign) => !payload.includes(sign));
  return isPlain ? payload : payload.replaceAll(ESCAPE, characterOf).replaceAll(/\s/gu, "");
}

function* unescapedPieces(payload: string): Generator<Buffer> {
  for (let start = 0; start < payload.length;) {
    let end = Math.min(start + PIECE_LENGTH, payload.length);
    // Neither an escape nor a surrogate pair may be cut.
    const cut = end < payload.length ? /(?:%[\da-f]?|[\ud800-\udbff])$/i.exec(payload.slice(end - 2, end)) : null;
    end -= cut?.[0].length ?? 0;
    const bytes = Buffer.from(payload.slice(start, end)).toString("latin1");
    yield Buffer.from(bytes.replaceAll(ESCAPE, characterOf), "latin1");
    start = end;
  }
}

const characterOf = (_escape: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));
