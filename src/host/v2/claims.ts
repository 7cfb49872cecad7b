/**
 * Claims: which instance works for a location. A package that is listed twice, or installed twice, is set up twice for
 * the same location; the first one works, and the next one takes its place when it leaves.
 */

interface Claim {
  /** Whether the claimant works at present. */
  readonly active: boolean;
  /** Gives the place to the next claimant. A second call does nothing. */
  release(): void;
}

export interface Claims {
  /**
   * Claims a place.
   * @param activate called once, at once or when everybody before has left; must not throw
   */
  claim(place: string, activate: () => void): Claim;
}

export function createClaims(): Claims {
  const queues = new Map<string, (() => void)[]>();
  return {
    claim(place, activate) {
      const queue = queues.get(place) ?? [];
      queues.set(place, queue);
      // A function of its own for each claim, so that a claimant is told from itself.
      const claimant = (): void => activate();
      queue.push(claimant);
      if (queue[0] === claimant) claimant();
      return {
        get active() {
          return queue[0] === claimant;
        },
        release() {
          const position = queue.indexOf(claimant);
          if (position === -1) return;
          queue.splice(position, 1);
          if (queue.length === 0) queues.delete(place);
          else if (position === 0) queue[0]?.();
        },
      };
    },
  };
}
