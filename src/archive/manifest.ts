/**
 * Manifest: `index.json`, the list of all archived sessions. It is derived from the session files alone, so it cannot
 * lose what another process adds: whoever writes it last looks at the folder once more, and writes it again when files
 * appeared or changed meanwhile.
 */

import { join } from "node:path";

import type { Clock } from "../runtime/clock.ts";
import { writeAtomically } from "./atomic-write.ts";
import type { Catalog } from "./catalog.ts";
import { INDEX_FILE } from "./file-layout.ts";
import { type FileIdentity, type FileSystem, hasCode, identityOf, sameFile } from "./file-system.ts";
import type { SessionHeader } from "./session-file.ts";

export interface ManifestOptions {
  readonly folder: string;
  readonly catalog: Catalog;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
}

/** Rounds after which the next change has to mend the rest: other processes are writing faster than we read. */
const MOST_ROUNDS = 20;

export class Manifest {
  readonly #options: ManifestOptions;
  /** What was written last, and as which file: a later one that we did not write is compared again. */
  #written: { readonly text: string; readonly file: FileIdentity } | null = null;

  constructor(options: ManifestOptions) {
    this.#options = options;
  }

  /**
   * Brings `index.json` up to the session files. Writes nothing when it says the same already.
   * @throws what the file system rejects with
   */
  async write(): Promise<void> {
    const { catalog } = this.#options;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      await this.#writeOnce(manifestText(catalog));
      const { changed } = await catalog.refresh();
      if (!changed) return;
    }
  }

  async #writeOnce(text: string): Promise<void> {
    const { folder, fileSystem, clock } = this.#options;
    const path = join(folder, INDEX_FILE);
    const file = await identityOf(fileSystem, path);
    if (this.#written?.text === text && sameFile(this.#written.file, file)) return;
    if (file !== null && (await this.#read(path)) === text) {
      this.#written = { text, file };
      return;
    }
    const written = await writeAtomically({ fileSystem, clock, path, content: (sink) => sink.write(text) });
    if (written !== null) this.#written = { text, file: written };
  }

  async #read(path: string): Promise<string | null> {
    try {
      return await this.#options.fileSystem.readFile(path, "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return null;
      throw error;
    }
  }
}

function manifestText(catalog: Catalog): string {
  const headers = catalog.entries().map(({ header }) => header);
  headers.sort((one, other) => compare(one.startedAt, other.startedAt) || compare(idOf(one), idOf(other)));
  return `${JSON.stringify({ sessions: headers.map(listed) }, null, 2)}\n`;
}

function listed(header: SessionHeader): object {
  const { title, startedAt, updatedAt, parentId, deletedAt } = header;
  return { id: idOf(header), title, startedAt, updatedAt, parentId, ...(deletedAt === null ? {} : { deletedAt }) };
}

const idOf = ({ _id }: SessionHeader): string => _id;
const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
