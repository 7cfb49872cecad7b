/** Test size: bounded by default, larger when HISTORY_TEST_SIZE is "full". */

/** Milliseconds that a test over many cases may take on a busy machine. */
export const MANY_CASES = { timeout: 300_000 };

export function isFullSize(): boolean {
  return process.env["HISTORY_TEST_SIZE"] === "full";
}
