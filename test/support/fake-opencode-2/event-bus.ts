/** Event bus: the one stream of a fake OpenCode 2.x, live only, with the events of all locations (§2.9, §3). */

import type { Json } from "./store.ts";

interface Listener {
  push(event: Json): void;
  end(error: Error | null): void;
}

export interface EventBus {
  /** @param directory the location it happened in; null for the few events that name none */
  publish(type: string, data: Json, directory: string | null): void;
  /** Sends a whole event again, or one of a test's own making. */
  publishRaw(event: Json): void;
  /** An async iterable of everything from its first `next` on; no replay. */
  subscribe(options?: { readonly signal?: AbortSignal }): AsyncIterable<Json>;
  /** Ends every stream: in failure, as when one event cannot be encoded (§2.9), or cleanly. */
  endStreams(error: Error | null): void;
  /** Everything published, in order. */
  readonly published: readonly Json[];
  readonly subscribers: number;
}

export function createEventBus(now: () => number): EventBus {
  const listeners = new Set<Listener>();
  const published: Json[] = [];
  const publishRaw = (event: Json): void => {
    published.push(event);
    for (const listener of listeners) listener.push(event);
  };
  return {
    published,
    get subscribers() {
      return listeners.size;
    },
    publishRaw,
    publish(type, data, directory) {
      const id = `evt_${String(published.length + 1).padStart(6, "0")}`;
      publishRaw({ id, created: now(), type, ...(directory === null ? {} : { location: { directory } }), data });
    },
    subscribe({ signal } = {}) {
      return { [Symbol.asyncIterator]: () => listen(listeners, signal) };
    },
    endStreams(error) {
      for (const listener of listeners) listener.end(error);
    },
  };
}

function listen(listeners: Set<Listener>, signal: AbortSignal | undefined): AsyncIterator<Json, undefined> {
  const queue: Json[] = [];
  let failure: Error | null = null;
  let ended = false;
  let wake: (() => void) | null = null;
  const listener: Listener = {
    push(event) {
      queue.push(event);
      wake?.();
    },
    end(error) {
      ended = true;
      failure = error;
      listeners.delete(listener);
      wake?.();
    },
  };
  listeners.add(listener);
  signal?.addEventListener("abort", () => listener.end(null), { once: true });
  if (signal?.aborted === true) listener.end(null);
  return {
    async next() {
      for (;;) {
        const event = queue.shift();
        if (event !== undefined) return { done: false, value: event };
        if (failure !== null) throw failure;
        if (ended) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return() {
      listener.end(null);
      return { done: true, value: undefined };
    },
  };
}
