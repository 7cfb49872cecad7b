/**
 * Host: the OpenCode this plugin runs in, 1.18.x or 2.x, behind one port. An adapter implements the port; everything
 * else in the product speaks only to it.
 */

import type { z } from "zod";

import type { Message, MessageError, Session, Source } from "../session/session.ts";
import type { Logger } from "../runtime/logger.ts";

export interface HostLocation {
  /** Absolute directory this plugin instance was started for. */
  readonly directory: string;
  /** Root of the git worktree that holds `directory`; null where there is none ("/" on 1.18 counts as none). */
  readonly worktree: string | null;
  readonly projectId: string | null;
}

/** An opaque place in a session's messages, as the host's own paging names it. */
export type PageCursor = string & { readonly __brand: "PageCursor" };

export interface MessagePage {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Where the next older page begins; null when this page reaches the start of the session. */
  readonly older: PageCursor | null;
}

export type HostErrorCode = "unavailable" | "bad-response" | "repeated-cursor" | "rejected";

/** A call to the host that failed. Absence ("not found") is no error: it is a null result. */
export class HostError extends Error {
  readonly code: HostErrorCode;
  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "HostError";
    this.code = code;
  }
}

/** Reads sessions and messages. Every method rejects with HostError, or with the signal's reason when aborted. */
export interface HostReader {
  /** Every session of every project, children and archived included, in pages of the host's choosing. */
  sessions(signal: AbortSignal): AsyncIterable<readonly Session[]>;
  /** One session; null when the host has none of that id. */
  session(sessionId: string, signal: AbortSignal): Promise<Session | null>;
  /**
   * A page of a session's messages, counted from the newest or from `before` backwards.
   * @param limit at most this many messages, 1..100
   * @returns null when the host has no such session
   */
  messages(
    sessionId: string,
    page: { readonly before: PageCursor | null; readonly limit: number },
    signal: AbortSignal,
  ): Promise<MessagePage | null>;
  /** One message; null when the session or the message does not exist. */
  message(sessionId: string, messageId: string, signal: AbortSignal): Promise<Message | null>;
  /**
   * The cursor of the page that ends just before a message, made from what is known of it.
   * null where the host's cursors are opaque (2.x).
   */
  cursorBefore(message: { readonly id: string; readonly createdAt: number }): PageCursor | null;
}

export interface Host extends HostReader {
  readonly source: Source;
  /** The host's version where it says so, else null. */
  readonly version: string | null;
  readonly location: HostLocation;
  readonly log: Logger;
  /** Whether the host's reading side can be reached now; `reason` is a sentence for the person when not. */
  availability(): { readonly ready: boolean; readonly reason: string | null };
  /** Shows a short message in the host's interface where it has one; does nothing elsewhere. Never rejects. */
  toast(message: string): Promise<void>;
}

/** What happened in the host, normalised. `at` is epoch milliseconds. */
export type HostEvent =
  | { readonly type: "session-created"; readonly sessionId: string; readonly session: Session | null }
  | { readonly type: "session-changed"; readonly sessionId: string; readonly session: Session | null }
  | { readonly type: "session-deleted"; readonly sessionId: string; readonly at: number }
  | { readonly type: "session-compacted"; readonly sessionId: string; readonly at: number }
  | { readonly type: "session-busy"; readonly sessionId: string }
  | { readonly type: "session-idle"; readonly sessionId: string }
  | { readonly type: "session-error"; readonly sessionId: string; readonly at: number; readonly error: MessageError }
  /** A retry of a model call: an error that may never become a message. */
  | {
      readonly type: "session-retry";
      readonly sessionId: string;
      readonly at: number;
      readonly attempt: number;
      readonly message: string;
    }
  /** Something in the session changed; when `messageId` is null it is not known which message. */
  | { readonly type: "message-changed"; readonly sessionId: string; readonly messageId: string | null }
  | { readonly type: "message-removed"; readonly sessionId: string; readonly messageId: string }
  | { readonly type: "part-removed"; readonly sessionId: string; readonly messageId: string }
  | { readonly type: "tool-finished"; readonly sessionId: string; readonly messageId: string | null }
  | {
      readonly type: "permission-asked";
      readonly sessionId: string;
      readonly at: number;
      readonly requestId: string;
      readonly permission: string;
      /** The command or resources asked for, as one line; null when the host names none. */
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
    }
  /** Events may have been lost: everything must be compared with a listing again. */
  | { readonly type: "stream-lost" };

/** What a tool call knows about where it was made. */
export interface ToolCall {
  readonly sessionId: string;
  /** The assistant message that holds the call. */
  readonly messageId: string | null;
  readonly directory: string;
  readonly projectId: string | null;
  readonly signal: AbortSignal;
  /**
   * When the asking turn began (the last user message of the asking session), epoch milliseconds; null when the host
   * does not tell. The asking turn is never a hit.
   */
  readonly turnStartedAt: number | null;
}

export interface HostTool {
  readonly name: string;
  readonly description: string;
  /** A raw shape of zod 4 schemas, described; hosts show it to the model and do not validate by it. */
  readonly args: z.ZodRawShape;
  /**
   * Runs the tool. `args` is what the model sent, unchecked. Resolves to the text that the model reads; rejects with
   * an Error whose message is written for the model.
   */
  execute(args: unknown, call: ToolCall): Promise<string>;
}

/** A command that a person types as `/name words`; the host sends `template` to the model in its place. */
export interface HostCommand {
  readonly name: string;
  readonly description: string;
  /** Holds `$ARGUMENTS` where the words go. */
  readonly template: string;
}

/** A plugin instance as a host adapter drives it: one for each directory the host opens. */
export interface HostInstance {
  readonly tools: readonly HostTool[];
  readonly commands: readonly HostCommand[];
  /** Takes an event. Never throws, never blocks. */
  onEvent(event: HostEvent): void;
  /** Ends the instance: pending work of its sessions is finished first. Never rejects. */
  dispose(): Promise<void>;
}

/** Starts an instance; must return within milliseconds and never call the host before returning. */
export type StartInstance = (host: Host, options: unknown) => HostInstance;
