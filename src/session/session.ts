/**
 * Session model: what OpenCode stores, normalised so that no other folder needs to know which OpenCode it came from.
 *
 * A session holds messages; a message holds parts. Times are epoch milliseconds. Absent values are null, never
 * undefined, so that a row, a JSON file and a comparison all treat them alike.
 */

/** Which generation of OpenCode's API a session was read from: 1.18.x ("v1") or 2.x ("v2"). */
export type Source = "v1" | "v2";

export interface ModelRef {
  readonly providerId: string;
  readonly modelId: string;
}

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The boundary of a revert: this message and all later ones are hidden until unrevert or the next prompt. */
export interface Revert {
  readonly messageId: string;
  /** When set, only this part and what follows it in the message is reverted. */
  readonly partId: string | null;
}

export interface Session {
  readonly id: string;
  readonly source: Source;
  /** "global" on hosts of either generation when the directory is not in a git repository. */
  readonly projectId: string;
  /** Absolute directory, as the host gives it (symbolic links resolved). */
  readonly directory: string;
  readonly parentId: string | null;
  /** The session this one was forked from, where the host says so (1.18 does not). */
  readonly forkedFromId: string | null;
  /** Empty when the host has none yet. */
  readonly title: string;
  readonly createdAt: number;
  /** Last activity: the later of the host's `updated` and `idle`. */
  readonly updatedAt: number;
  readonly archivedAt: number | null;
  readonly revert: Revert | null;
  readonly agent: string | null;
  readonly model: ModelRef | null;
  /** US dollars. */
  readonly cost: number | null;
  readonly tokens: TokenCounts | null;
}

export type MessageRole = "user" | "assistant";

export interface MessageError {
  readonly name: string;
  readonly message: string;
  readonly statusCode: number | null;
  readonly isRetryable: boolean | null;
}

export interface Message {
  readonly id: string;
  readonly sessionId: string;
  /** null for every native type that is neither a user's nor an assistant's message (2.x: shell, compaction, idle…). */
  readonly role: MessageRole | null;
  /** The host's own name of the message type, kept for display and for the archive. */
  readonly nativeType: string;
  readonly createdAt: number;
  readonly completedAt: number | null;
  /** The user message this one answers, where the host links them (1.18 does, 2.x does not). */
  readonly parentId: string | null;
  readonly agent: string | null;
  readonly model: ModelRef | null;
  readonly cost: number | null;
  readonly tokens: TokenCounts | null;
  readonly finish: string | null;
  /** Whether this is the summary that a compaction wrote. */
  readonly isSummary: boolean;
  readonly error: MessageError | null;
  readonly parts: readonly Part[];
}

interface PartBase {
  /** null where the host gives parts no id (2.x). */
  readonly id: string | null;
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  /** Written by the host on the user's behalf (attached files, "Continue if you have next steps"), not by a person. */
  readonly synthetic: boolean;
}

export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  readonly text: string;
}

export type ToolStatus = "pending" | "running" | "completed" | "error";

export interface ToolPart extends PartBase {
  readonly type: "tool";
  readonly callId: string | null;
  readonly tool: string;
  readonly status: ToolStatus;
  readonly input: Readonly<Record<string, unknown>>;
  /** Text output of a completed call; empty otherwise. */
  readonly output: string;
  /** The error text when `status` is "error". */
  readonly error: string | null;
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly attachments: readonly FilePart[];
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface FilePart extends PartBase {
  readonly type: "file";
  readonly filename: string | null;
  readonly mime: string;
  /** As the host stores it: often a data: URL of megabytes. */
  readonly url: string | null;
}

export interface SubtaskPart extends PartBase {
  readonly type: "subtask";
  readonly agent: string;
  readonly prompt: string;
  readonly description: string;
}

/** The files a step changed, as the host's snapshot saw them. */
export interface PatchPart extends PartBase {
  readonly type: "patch";
  /** Absolute paths. */
  readonly files: readonly string[];
}

export interface CompactionPart extends PartBase {
  readonly type: "compaction";
  readonly auto: boolean;
}

export interface AgentPart extends PartBase {
  readonly type: "agent";
  readonly name: string;
}

/** Book-keeping of the host without words of its own (step-start, step-finish, snapshot, retry…). */
export interface StepPart extends PartBase {
  readonly type: "step";
  readonly nativeType: string;
}

/** A part type this version does not know. Kept whole, so that nothing is lost. */
export interface UnknownPart extends PartBase {
  readonly type: "unknown";
  readonly nativeType: string;
  readonly value: unknown;
}

export type Part =
  | TextPart
  | ReasoningPart
  | ToolPart
  | FilePart
  | SubtaskPart
  | PatchPart
  | CompactionPart
  | AgentPart
  | StepPart
  | UnknownPart;

/** The host's name for "no git repository": all such directories share this one project. */
export const GLOBAL_PROJECT = "global";

/** The four tools of this product. Their calls and results are never indexed: a search must not find searches. */
export const HISTORY_TOOLS: readonly string[] = [
  "history-search-messages",
  "history-search-sessions",
  "history-search-edits",
  "history-read",
];
