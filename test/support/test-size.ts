/** Test size: bounded by default, larger when HISTORY_TEST_SIZE is "full". */
export function isFullSize(): boolean {
  return process.env["HISTORY_TEST_SIZE"] === "full";
}
