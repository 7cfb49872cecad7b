/** Stage: what the demo writes for a person: headings, wrapped text, and progress that is never silent for long. */

const WIDTH = 78;
const NAME_WIDTH = 7;
const TICK_MS = 2000;

export interface Stage {
  line(text?: string): void;
  heading(text: string): void;
  /** What somebody said, wrapped, their name at the left edge. */
  say(speaker: string, text: string): void;
  /**
   * Text behind a mark at the left edge, wrapped to the width of the page.
   * @param most lines shown; what is left out is counted
   */
  quote(text: string, most: number): void;
  /** Tells what is being done, adds a dot every two seconds while it lasts, and how long it took at its end. */
  during<T>(what: string, work: () => Promise<T>): Promise<T>;
}

export function createStage(write: (text: string) => void): Stage {
  const line = (text = "") => {
    write(`${text}\n`);
  };
  return {
    line,
    heading: (text) => {
      line();
      line(`-- ${text} ${"-".repeat(Math.max(0, WIDTH - text.length - 4))}`);
    },
    say: (speaker, text) => {
      const [first = "", ...more] = wrap(text, WIDTH - NAME_WIDTH);
      line(`${`${speaker}:`.padEnd(NAME_WIDTH)}${first}`);
      for (const next of more) line(" ".repeat(NAME_WIDTH) + next);
    },
    quote: (text, most) => {
      const lines = text.split("\n").flatMap((paragraph) => wrap(paragraph, WIDTH - 4));
      for (const shown of lines.slice(0, most)) line(`  | ${shown}`.trimEnd());
      if (lines.length > most) line(`  | ... ${lines.length - most} more lines`);
    },
    during: async (what, work) => {
      write(`${what} .`);
      const startedAt = performance.now();
      const timer = setInterval(() => {
        write(".");
      }, TICK_MS);
      try {
        const result = await work();
        line(` ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
        return result;
      } catch (error) {
        line(" failed");
        throw error;
      } finally {
        clearInterval(timer);
      }
    },
  };
}

/** Breaks at spaces where there are any, inside a word only when it is wider than the page. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const end = space > width / 2 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
