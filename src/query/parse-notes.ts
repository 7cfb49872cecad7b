/** Parse notes: what the parser took literally or left out, one line a reason, however often it happened. */

const REASONS = {
  quote: "a double quote without a partner",
  curlyQuote: 'only straight double quotes (") make a phrase',
  parenthesis: "a parenthesis without a partner, or with nothing inside",
  depth: "parentheses nested too deep",
  or: "OR joins two alternatives; here one is missing",
  operator: "words side by side are joined by AND already, -word excludes, only OR is an operator",
  wildcard: "there are no wildcards; every word matches as a part of longer ones",
  valueWildcard: "there are no wildcards; what stands after path:, project:, tool: or is: is taken as it is",
  regex: "there are no regular expressions",
  emptyValue: "a qualifier needs a value right after its colon",
  flag: "is: knows subagent, archived, reverted and error",
  toolInput: "role, date and limit are inputs of the tool, not of the query",
  qualifier: "the qualifiers are path:, project:, title:, tool: and is:",
} as const;

export type LiteralReason = keyof typeof REASONS;

/** Examples shown for one reason, and the UTF-16 units shown of one example. */
const SHOWN = 3;
const SHOWN_LENGTH = 40;

export class ParseNotes {
  readonly #literals = new Map<LiteralReason, Set<string>>();
  readonly #ignored = new Set<string>();

  /** Notes that `text` is searched for as it stands. */
  tookLiterally(text: string, reason: LiteralReason): void {
    const texts = this.#literals.get(reason) ?? new Set();
    this.#literals.set(reason, texts.add(text));
  }

  /** Notes a whole sentence about something that was left out. */
  ignored(sentence: string): void {
    this.#ignored.add(sentence);
  }

  lines(): string[] {
    const literals = Array.from(
      this.#literals,
      ([reason, texts]) => `Taken literally: ${shownTexts([...texts])} (${REASONS[reason]}).`,
    );
    return [...literals, ...this.#ignored];
  }
}

function shownTexts(texts: readonly string[]): string {
  const shown = texts.slice(0, SHOWN).map(shownText).join(", ");
  return texts.length > SHOWN ? `${shown} and ${texts.length - SHOWN} more` : shown;
}

/** A piece of the query as a note shows it. */
export function shownText(text: string): string {
  const characters = Array.from(text.slice(0, SHOWN_LENGTH + 1));
  if (text.length <= SHOWN_LENGTH) return `\`${text}\``;
  return `\`${characters.slice(0, -1).join("")}…\``;
}
