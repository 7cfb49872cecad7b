/** Error message: what a caught value says. Anything can be thrown, so anything is taken. */

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
