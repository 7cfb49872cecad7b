/** Home path: what a person means by `~` in a path of a configuration file, where no shell has expanded it. */

import { join } from "node:path";

/** The path with a leading `~` replaced by the home directory. `~ann` is a name like any other. */
export function expandHome(path: string, home: string): string {
  return /^~(?=$|[\\/])/u.test(path) ? join(home, path.slice(1)) : path;
}
