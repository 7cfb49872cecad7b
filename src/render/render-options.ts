/** Render options: what every answer of a search needs besides the results. */

import type { Breathe } from "./fit.ts";
import type { Mask } from "./quote.ts";

export interface RenderOptions {
  readonly mask: Mask;
  /** Lines of the tool itself: a limit that was lowered… */
  readonly notes: readonly string[];
  /** Called between hits: masking and fitting a full answer takes tens of milliseconds. */
  readonly breathe: Breathe;
}
