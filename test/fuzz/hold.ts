/** Hold: checks a property over random values, and names the failing run by its seed instead of printing megabytes. */

import * as fc from "fast-check";

import { isFullSize } from "../support/test-size.ts";

/**
 * @param runs by default, and when HISTORY_TEST_SIZE is "full"
 * @throws Error with what to give to `replay`, and the failure as its cause
 */
export async function hold<Values>(
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
  runs: { readonly bounded: number; readonly full: number },
  replay: { readonly seed?: number; readonly path?: string } = {},
): Promise<void> {
  const numRuns = isFullSize() ? runs.full : runs.bounded;
  const result = await fc.check(property, { numRuns, ...replay });
  if (!result.failed) return;
  const { seed, counterexamplePath: path, errorInstance, numShrinks } = result;
  const where = JSON.stringify({ seed, path });
  const values = shown(result.counterexample);
  throw new Error(`Fails with ${where} after ${numShrinks} shrinks: ${String(errorInstance)}\n${values}`, {
    cause: errorInstance,
  });
}

function shown(values: unknown): string {
  try {
    return JSON.stringify(values).slice(0, 2000);
  } catch {
    return "(values nested too deep to be shown)";
  }
}
