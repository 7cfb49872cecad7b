/**
 * Shared process: what the instances of one process have in common. It stands on the global object, because two
 * installed copies of this package do not share modules, and yet must not both read the event stream.
 */

import type { Claims } from "./claims.ts";
import type { EventStream } from "./event-stream.ts";
import type { Service } from "./service.ts";
import type { Turns } from "./turns.ts";

export interface SharedProcess {
  readonly stream: EventStream;
  readonly turns: Turns;
  readonly claims: Claims;
  readonly service: Service;
}

interface Slot {
  readonly shared: SharedProcess;
  users: number;
}

/** The place on the global object; its other fields belong to the composition root. */
export interface Registry {
  v2?: Slot;
}

const REGISTRY = Symbol.for("opencode-history");

/** The registry of this process, made when there is none yet. */
export function processRegistry(): Registry {
  const scope: typeof globalThis & { [REGISTRY]?: Registry } = globalThis;
  scope[REGISTRY] ??= {};
  return scope[REGISTRY];
}

/**
 * Takes part in what the process shares; the first user makes it, the last one ends it.
 * @returns what is shared, and a function that leaves it; a second call of that does nothing
 */
export function shareProcess(
  registry: Registry,
  create: () => SharedProcess,
): { readonly shared: SharedProcess; readonly leave: () => void } {
  const slot = (registry.v2 ??= { shared: create(), users: 0 });
  slot.users += 1;
  let present = true;
  return {
    shared: slot.shared,
    leave() {
      if (!present) return;
      present = false;
      slot.users -= 1;
      if (slot.users > 0) return;
      slot.shared.service.stop();
      if (registry.v2 === slot) delete registry.v2;
    },
  };
}
