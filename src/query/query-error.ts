/** Query error: something a person or a model wrote that cannot be understood, said so that they can mend it. */

export type QueryErrorCode = "unknown-date" | "no-such-date" | "date-order";

/** The message says what was given, what is wrong with it, and what to write instead. */
export class QueryError extends Error {
  readonly code: QueryErrorCode;
  constructor(code: QueryErrorCode, message: string) {
    super(message);
    this.name = "QueryError";
    this.code = code;
  }
}
