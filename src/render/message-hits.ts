/** Message hits: the answer of history-search-messages. Pure. */

import type { MessageHit, Results, TermMatch } from "../search/results.ts";
import { type Entry, fit } from "./fit.ts";
import { count, footOf } from "./foot.ts";
import { localMinute } from "./local-time.ts";
import { passageOf, passageText } from "./passage.ts";
import { GUTTER, type Mask, name, QUOTATION_NOTICE, quoted } from "./quote.ts";
import type { RenderOptions } from "./render-options.ts";
import { sessionLines } from "./session-lines.ts";

export async function renderMessageHits(results: Results<MessageHit>, options: RenderOptions): Promise<string> {
  const { hits } = results;
  const foot = footOf(results, { noun: "sessions", next: nextStep(hits), notes: options.notes });
  if (hits.length === 0) return ["No session matches.", ...foot(0)].join("\n");
  const total = `${count(hits.length)} ${hits.length === 1 ? "session" : "sessions"}, newest activity first.`;
  const entries: Entry[] = [];
  for (const [index, hit] of hits.entries()) entries.push(await entryOf(hit, index + 1, options));
  return fit({ head: [`${total} ${QUOTATION_NOTICE}`], entries, foot }, options.breathe);
}

async function entryOf(hit: MessageHit, ordinal: number, { mask, breathe }: RenderOptions): Promise<Entry> {
  const items: Entry["items"][number][] = [];
  for (const match of hit.matches) {
    await breathe();
    items.push(itemOf(match, mask));
  }
  return { head: ["", ...sessionLines(hit, ordinal, mask)], items };
}

function itemOf(match: TermMatch, mask: Mask): (width: number) => readonly string[] {
  const passage = passageOf(match.excerpt, mask);
  const place =
    match.messageId === null
      ? ["in the title"]
      : [
          `message ${name(match.messageId)}`,
          ...(match.role === null ? [] : [match.role]),
          localMinute(match.time),
          ...(match.reverted ? ["reverted"] : []),
        ];
  const head = `   ${quoted(mask(match.term), 80)}: ${place.join(" · ")}`;
  return (width) => [head, `${GUTTER}${passageText(passage, width)}`];
}

function nextStep(hits: readonly MessageHit[]): string {
  const first = hits.find((hit) => hit.matches.some((match) => match.messageId !== null)) ?? hits[0];
  if (first === undefined) {
    return "try fewer or other words, project:all, or history-search-sessions for titles and recent sessions.";
  }
  const messageId = first.matches.find((match) => match.messageId !== null)?.messageId ?? null;
  const args = { sessionID: first.sessionId, ...(messageId === null ? {} : { messageID: messageId }) };
  return `history-read ${JSON.stringify(args)} reads around the first match; any session and message id above works.`;
}
