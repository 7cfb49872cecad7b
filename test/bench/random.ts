/** Random: numbers that look random and are the same in every run. */

export interface Random {
  /** An integer from 0 up to, not including, `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  /** An integer in [from, to]. */
  between(from: number, to: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
}

const RANGE = 2 ** 32;

/** Xorshift, 32 bits. @param seed any integer but zero */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const below = (limit: number): number => Math.floor((next() / RANGE) * limit);
  return {
    below,
    chance: (probability) => next() < probability * RANGE,
    between: (from, to) => from + below(to - from + 1),
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
