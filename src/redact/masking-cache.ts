/**
 * Masking cache: a masker that remembers texts it has seen. A message that is still being written is masked again and
 * again; of its parts only the newest is new.
 */

import { createHash } from "node:crypto";

import type { Masked, Masker } from "./mask.ts";

/** Shorter texts are masked faster than they are looked up. */
const LEAST_LENGTH = 2048;
/** Code units hashed in one go, about a millisecond's work. */
const PIECE_LENGTH = 256 * 1024;

/**
 * @param capacity code units of masked text that may be kept, besides some 100 bytes for each text that was clean
 */
export function createMaskingCache(masker: Masker, capacity = 2_000_000): Masker {
  /** Least recently used first. null stands for a clean text, so that those cost nothing. */
  const known = new Map<string, Masked | null>();
  let kept = 0;

  const look = (text: string, key: string): Masked | undefined => {
    const masked = known.get(key);
    if (masked === undefined) return undefined;
    known.delete(key);
    known.set(key, masked);
    return masked ?? { text, counts: {} };
  };
  const keep = (text: string, key: string, masked: Masked): Masked => {
    if (known.has(key)) return masked;
    known.set(key, masked.text === text ? null : masked);
    kept += costOf(known.get(key));
    for (const [oldest, value] of known) {
      if (kept <= capacity) break;
      known.delete(oldest);
      kept -= costOf(value);
    }
    return masked;
  };

  return {
    mask(text) {
      if (text.length < LEAST_LENGTH) return masker.mask(text);
      const key = keyOf(text);
      return look(text, key) ?? keep(text, key, masker.mask(text));
    },
    async maskAsync(text, pause) {
      if (text.length < LEAST_LENGTH) return masker.mask(text);
      const hash = createHash("sha256");
      for (let start = 0; start < text.length; start += PIECE_LENGTH) {
        hash.update(text.slice(start, start + PIECE_LENGTH), "utf16le");
        await pause.breathe();
      }
      const key = hash.digest("base64url");
      return look(text, key) ?? keep(text, key, await masker.maskAsync(text, pause));
    },
  };
}

/** UTF-16 keeps what it is given, wherever it is cut. */
const keyOf = (text: string): string => createHash("sha256").update(text, "utf16le").digest("base64url");
const costOf = (masked: Masked | null | undefined): number => 100 + (masked?.text.length ?? 0);
