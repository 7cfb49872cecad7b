/** Update README: writes its tool reference anew from what the tools declare. `npm run readme` also formats it. */

import { readFileSync, writeFileSync } from "node:fs";

import { updateReference } from "../test/support/tool-reference.ts";

const README = "README.md";

writeFileSync(README, updateReference(readFileSync(README, "utf8")));
