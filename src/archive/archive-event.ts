/** Archive event: the host's events that the archive takes itself, because no later reading of the host shows them. */

import type { MessageError, Session } from "../session/session.ts";

/**
 * Of the same shapes as the host port's events, of which this is a part: what happens to messages reaches the archive
 * through its refreshes. `at` is epoch milliseconds.
 */
export type ArchiveEvent =
  | {
      readonly type: "session-created" | "session-changed";
      readonly sessionId: string;
      readonly session: Session | null;
    }
  | { readonly type: "session-compacted"; readonly sessionId: string; readonly at: number }
  | { readonly type: "session-busy" | "session-idle"; readonly sessionId: string }
  | { readonly type: "session-error"; readonly sessionId: string; readonly at: number; readonly error: MessageError }
  | {
      readonly type: "session-retry";
      readonly sessionId: string;
      readonly at: number;
      readonly attempt: number;
      readonly message: string;
    }
  | {
      readonly type: "permission-asked";
      readonly sessionId: string;
      readonly at: number;
      readonly requestId: string;
      readonly permission: string;
      readonly command: string | null;
      readonly question: string | null;
    }
  | {
      readonly type: "permission-replied";
      readonly sessionId: string;
      readonly at: number;
      readonly requestId: string;
      readonly reply: "once" | "always" | "reject";
    }
  | {
      readonly type: "todos-changed";
      readonly sessionId: string;
      readonly todos: readonly {
        readonly content: string;
        readonly status: string;
        readonly priority: string | null;
      }[];
    };
