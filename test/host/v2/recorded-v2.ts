/** Recorded shapes of OpenCode 2.x, written by its fact sheet: `fixtures/v2/<name>.json`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

export function recordedV2(name: string): unknown {
  const value: unknown = JSON.parse(readFileSync(join(process.cwd(), "fixtures", "v2", `${name}.json`), "utf8"));
  return value;
}
