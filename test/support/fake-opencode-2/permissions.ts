/** Permissions of a fake OpenCode 2.x: asked and answered in events alone, and stored nowhere (§3). */

import type { HostState } from "./host-state.ts";

type Reply = "once" | "always" | "reject";

export interface Permissions {
  /** Asks, and resolves with the answer. */
  ask(sessionID: string, messageID: string, callID: string, command: string): Promise<Reply>;
  /** Answers the oldest open question, as soon as there is one, and resolves to its id. */
  answer(reply: Reply): Promise<string>;
}

export function createPermissions(state: HostState): Permissions {
  const open: { readonly id: string; settle(reply: Reply): void }[] = [];
  const waiting: (() => void)[] = [];
  return {
    ask(sessionID, messageID, callID, command) {
      const id = state.id("per");
      state.emit(sessionID, "permission.asked", {
        id,
        action: "shell",
        resources: [command],
        source: { type: "tool", messageID, id: callID },
      });
      return new Promise((resolve) => {
        open.push({
          id,
          settle(reply) {
            state.emit(sessionID, "permission.replied", { requestID: id, reply });
            resolve(reply);
          },
        });
        waiting.shift()?.();
      });
    },
    async answer(reply) {
      if (open.length === 0) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
      const request = open.shift();
      if (request === undefined) throw new Error("Nothing is being asked for.");
      request.settle(reply);
      return request.id;
    },
  };
}
