/** The slice of Bun's SQLite that is used here: https://bun.sh/docs/api/sqlite */
declare module "bun:sqlite" {
  type Value = string | number | bigint | null | Uint8Array;

  export class Statement {
    all(...parameters: readonly Value[]): Readonly<Record<string, Value>>[];
    run(...parameters: readonly Value[]): { readonly changes: number };
    iterate(...parameters: readonly Value[]): IterableIterator<Readonly<Record<string, Value>>>;
    finalize(): void;
  }

  export class Database {
    constructor(path: string, options: { readonly?: boolean; readwrite?: boolean; create?: boolean });
    prepare(text: string): Statement;
    exec(text: string): void;
    close(): void;
    readonly inTransaction: boolean;
  }
}
