/**
 * Reads under way: whether this process is reading a session just now.
 *
 * OpenCode 1.18 answers a read of a session from an instance of that session's own directory, and starts one where none
 * runs: with the project's configuration, its plugins, and this one among them. An instance that starts during a read
 * was most likely started by it, and nobody works there.
 */

import type { Host } from "./host/host.ts";

export class ReadsUnderWay {
  #count = 0;

  get some(): boolean {
    return this.#count > 0;
  }

  /** The same host, whose reads are counted. */
  watch(host: Host): Host {
    return {
      source: host.source,
      get version() {
        return host.version;
      },
      location: host.location,
      log: host.log,
      availability: () => host.availability(),
      toast: (message) => host.toast(message),
      sessions: (signal) => host.sessions(signal),
      cursorBefore: (message) => host.cursorBefore(message),
      session: (...asked) => this.#during(() => host.session(...asked)),
      messages: (...asked) => this.#during(() => host.messages(...asked)),
      message: (...asked) => this.#during(() => host.message(...asked)),
    };
  }

  async #during<T>(read: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await read();
    } finally {
      this.#count -= 1;
    }
  }
}
