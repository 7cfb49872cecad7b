/** Report of a benchmark: figures measured in one run, some of them held to a bound. */

export interface Figure {
  /** Stable name, used in --json and BENCHMARKS.md: lower-case words with dots and hyphens. */
  readonly key: string;
  readonly label: string;
  readonly value: number;
  /** "ms", "MB/s", "x", "bytes", "sessions"… */
  readonly unit: string;
  readonly bound?: { readonly limit: number; readonly kind: "max" | "min" };
}

export interface BenchReport {
  readonly name: string;
  /** What was measured: corpus, sizes, driver, baseline. One sentence each. */
  readonly notes: readonly string[];
  readonly figures: readonly Figure[];
}

export type Bench = (args: readonly string[]) => Promise<BenchReport>;

/** Whether a figure keeps its bound; null when it has none. */
export function isMet(figure: Figure): boolean | null {
  if (figure.bound === undefined) return null;
  return figure.bound.kind === "max" ? figure.value <= figure.bound.limit : figure.value >= figure.bound.limit;
}

const number = (value: number): string =>
  Math.abs(value) >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString("en") : value.toFixed(2);

/** The report as lines of text: one figure a line, each bound with "met" or "not met". */
export function reportLines(report: BenchReport): readonly string[] {
  const width = Math.max(...report.figures.map((figure) => figure.label.length), 0);
  return [
    `## ${report.name}`,
    ...report.notes.map((note) => `- ${note}`),
    ...report.figures.map((figure) => {
      const met = isMet(figure);
      const bound =
        figure.bound === undefined
          ? ""
          : `  ${met === true ? "met" : "not met"}: ${figure.bound.kind === "max" ? "<=" : ">="} ${number(figure.bound.limit)}`;
      return `${figure.label.padEnd(width)}  ${number(figure.value).padStart(10)} ${figure.unit}${bound}`;
    }),
  ];
}
