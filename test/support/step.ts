/** Step: one answer of the scripted model. */

export interface ToolRequest {
  readonly tool: string;
  readonly args?: unknown;
  /** Sent instead of `args`, as it stands: for arguments that are no JSON. */
  readonly rawArgs?: string;
}

export interface Step {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly ToolRequest[];
  /** Milliseconds before the answer begins. */
  readonly delayMs?: number;
  /** Milliseconds between two pieces of text, for tests that cancel. */
  readonly pieceMs?: number;
  /** Answers with this HTTP status and an error body instead. */
  readonly status?: number;
}
