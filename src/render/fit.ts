/**
 * Fit: keeping an answer below the host's limits (50 KiB, 2,000 lines), beyond which the host cuts blindly.
 *
 * Passages are shortened first, all alike; then whole entries are left out from the end and counted. An entry that
 * alone is too large loses items from its end. Nothing is ever cut in the middle. Pure.
 */

export interface Budget {
  /** UTF-8. */
  readonly bytes: number;
  readonly lines: number;
}

export const ANSWER_BUDGET: Budget = { bytes: 46 * 1024, lines: 1_900 };

/** Lines of one hit: its own, and those of its items. */
export interface Entry {
  readonly head: readonly string[];
  /** Each item's lines with its passage in at most `width` UTF-16 units. */
  readonly items: readonly ((width: number) => readonly string[])[];
}

export interface Layout {
  readonly head: readonly string[];
  readonly entries: readonly Entry[];
  /** @param leftOut how many entries did not fit */
  readonly foot: (leftOut: number) => readonly string[];
}

const WIDTHS = [300, 200, 120, 80, 48] as const;
const MIN_WIDTH = 48;

export function fit(layout: Layout, budget: Budget = ANSWER_BUDGET): string {
  for (const width of WIDTHS) {
    const lines = [...layout.head, ...layout.entries.flatMap((entry) => entryLines(entry, width)), ...layout.foot(0)];
    if (fits(sizeOf(lines), budget)) return lines.join("\n");
  }
  return fitFewer(layout, budget);
}

function fitFewer(layout: Layout, budget: Budget): string {
  const entries = layout.entries.map((entry) => entryLines(entry, MIN_WIDTH));
  let size = sizeOf([...layout.head, ...layout.foot(entries.length)]);
  const kept: (readonly string[])[] = [];
  for (const lines of entries) {
    const next = add(size, sizeOf(lines));
    if (!fits(next, budget)) break;
    kept.push(lines);
    size = next;
  }
  const first = layout.entries[0];
  if (kept.length === 0 && first !== undefined) kept.push(fitItems(first, size, budget));
  return [...layout.head, ...kept.flat(), ...layout.foot(entries.length - kept.length)].join("\n");
}

/** The first items of an entry that alone is too large, and how many others there are. */
function fitItems(entry: Entry, used: Budget, budget: Budget): readonly string[] {
  let size = add(used, sizeOf([...entry.head, leftOutItems(entry.items.length)]));
  const lines = [...entry.head];
  let count = 0;
  for (const item of entry.items) {
    const next = item(MIN_WIDTH);
    size = add(size, sizeOf(next));
    if (!fits(size, budget)) break;
    lines.push(...next);
    count += 1;
  }
  return [...lines, leftOutItems(entry.items.length - count)];
}

function leftOutItems(count: number): string {
  return `   (${count} more matches in this one left out)`;
}

function entryLines(entry: Entry, width: number): readonly string[] {
  return [...entry.head, ...entry.items.flatMap((item) => item(width))];
}

/** With a line break for each line: one more than is written. */
function sizeOf(lines: readonly string[]): Budget {
  return { bytes: lines.reduce((sum, line) => sum + Buffer.byteLength(line, "utf8") + 1, 0), lines: lines.length };
}

function add(a: Budget, b: Budget): Budget {
  return { bytes: a.bytes + b.bytes, lines: a.lines + b.lines };
}

function fits(size: Budget, budget: Budget): boolean {
  return size.bytes <= budget.bytes && size.lines <= budget.lines;
}
