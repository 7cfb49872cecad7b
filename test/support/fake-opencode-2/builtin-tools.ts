/** Built-in tools of a fake OpenCode 2.x: enough of write, edit, read and shell for conversations about files. */

import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { promisify } from "node:util";

import { fieldsOf, textOf } from "../../../src/host/fields.ts";
import type { Json } from "./store.ts";

export interface BuiltinOutcome {
  readonly text: string;
  readonly metadata: Json;
  /** Files that the host's snapshot sees changed, relative to the session's directory (§4). */
  readonly files: readonly string[];
}

/** "bash" and "task" are how 1.18 calls them; one story can then be told to both. */
const SAME: ReadonlyMap<string, string> = new Map([
  ["bash", "shell"],
  ["task", "subagent"],
]);

export function builtinName(name: string): string {
  return SAME.get(name) ?? name;
}

/** @returns null when there is no such tool; rejects with what the model reads when the call fails */
export async function runBuiltin(name: string, input: unknown, directory: string): Promise<BuiltinOutcome | null> {
  const args = fieldsOf(input);
  const path = textOf(args["filePath"]) ?? "";
  const file = isAbsolute(path) ? path : join(directory, path);
  switch (name) {
    case "write":
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, textOf(args["content"]) ?? "");
      return { text: `Wrote ${file}`, metadata: {}, files: [relative(directory, file)] };
    case "edit": {
      const before = await readFile(file, "utf8");
      const old = textOf(args["oldString"]) ?? "";
      if (!before.includes(old)) throw new Error(`oldString not found in ${file}`);
      await writeFile(
        file,
        before.replace(old, () => textOf(args["newString"]) ?? ""),
      );
      return { text: "Edit applied successfully.", metadata: {}, files: [relative(directory, file)] };
    }
    case "read":
      return { text: await readFile(file, "utf8"), metadata: {}, files: [] };
    case "shell": {
      const command = textOf(args["command"]) ?? "";
      const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: directory });
      return { text: stdout, metadata: { exit: 0 }, files: [] };
    }
    default:
      return null;
  }
}
