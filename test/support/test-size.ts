/** Test size: bounded by default, larger when HISTORY_TEST_SIZE is "full". */

/** Options of a test over many cases: the milliseconds it may take on a busy machine. */
export const MANY_CASES = { timeout: 300_000 };

export function isFullSize(): boolean {
  return process.env["HISTORY_TEST_SIZE"] === "full";
}
