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

/** Gives the event loop its turn when it is due. */
export type Breathe = () => Promise<void> | undefined;

const WIDTHS = [300, 200, 120, 80] as const;
const MIN_WIDTH = 48;

/** The answer at the greatest width of passages at which everything fits. */
export async function fit(layout: Layout, breathe: Breathe, budget: Budget = ANSWER_BUDGET): Promise<string> {
  const frame = [...layout.head, ...layout.foot(0)];
  for (const width of WIDTHS) {
    const entries = await firstFitting(layout.entries, width, sizeOf(frame), breathe, budget);
    if (entries.length === layout.entries.length) {
      return [...layout.head, ...entries.flat(), ...layout.foot(0)].join("\n");
    }
  }
  return fitFewer(layout, breathe, budget);
}

async function fitFewer(layout: Layout, breathe: Breathe, budget: Budget): Promise<string> {
  const used = sizeOf([...layout.head, ...layout.foot(layout.entries.length)]);
  const entries = await firstFitting(layout.entries, MIN_WIDTH, used, breathe, budget);
  const first = layout.entries[0];
  if (entries.length === 0 && first !== undefined) entries.push(fitItems(first, used, budget));
  return [...layout.head, ...entries.flat(), ...layout.foot(layout.entries.length - entries.length)].join("\n");
}

/** The lines of the first entries, as many as fit beside what is used already. */
async function firstFitting(
  entries: readonly Entry[],
  width: number,
  used: Budget,
  breathe: Breathe,
  budget: Budget,
): Promise<(readonly string[])[]> {
  const fitting: (readonly string[])[] = [];
  let size = used;
  for (const entry of entries) {
    await breathe();
    const lines = [...entry.head, ...entry.items.flatMap((item) => item(width))];
    size = add(size, sizeOf(lines));
    if (!fits(size, budget)) break;
    fitting.push(lines);
  }
  return fitting;
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
