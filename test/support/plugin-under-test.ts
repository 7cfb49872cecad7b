/**
 * Plugin under test: how the integration tests name the plugin in `opencode.json`. By default the built checkout;
 * HISTORY_PLUGIN_PATH names another installed copy; with HISTORY_PLUGIN_PACKED=1 the checkout is packed with
 * `npm pack` and named by npm specifier, so that OpenCode installs it.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { fieldsOf, textOf } from "../../src/host/fields.ts";

/**
 * @param folder where a packed copy may be put
 * @throws with what to run when there is no built plugin
 */
export function pluginUnderTest(folder: string): string {
  if (process.env["HISTORY_PLUGIN_PACKED"] === "1") return packPlugin(folder);
  return process.env["HISTORY_PLUGIN_PATH"] ?? builtCheckout();
}

/** Packs the built checkout and returns its npm specifier: `opencode-history@file:/…/opencode-history-0.1.0.tgz`. */
export function packPlugin(folder: string): string {
  const checkout = builtCheckout();
  const output = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: checkout,
    encoding: "utf8",
  });
  const packed: unknown = JSON.parse(output);
  const first = fieldsOf(Array.isArray(packed) ? packed[0] : packed);
  const name = textOf(first["name"]);
  const file = textOf(first["filename"]);
  if (name === null || file === null) throw new Error(`npm pack did not say what it packed: ${output}`);
  return `${name}@file:${join(folder, file)}`;
}

function builtCheckout(): string {
  const checkout = process.cwd();
  const { main } = fieldsOf(JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")));
  const bundle = join(checkout, "dist", "history-search.js");
  if (textOf(main) === null || !existsSync(bundle)) {
    throw new Error(`The plugin is not built: ${bundle} is missing. Run \`npm run build\`, then try again.`);
  }
  return checkout;
}
