/** Registration file of a fake OpenCode 2.x service (§6): mode 0600, removed on a clean exit. */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface RegistrationContent {
  readonly id: string;
  readonly version: string;
  readonly url: string;
  readonly pid: number;
  readonly password: string;
}

export async function writeRegistration(folder: string, name: string, content: RegistrationContent): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), JSON.stringify(content), { mode: 0o600 });
}

export async function removeRegistration(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true });
}
