/** Edit hits: the answer of history-search-edits. Pure. */

import type { EditHit, Results } from "../search/results.ts";
import { type Entry, fit } from "./fit.ts";
import { count, footOf } from "./foot.ts";
import { localMinute } from "./local-time.ts";
import { passageText } from "./passage.ts";
import { GUTTER, type Mask, name, oneLine, pathName, QUOTATION_NOTICE } from "./quote.ts";
import type { RenderOptions } from "./render-options.ts";
import { titleOf } from "./session-lines.ts";

export async function renderEditHits(results: Results<EditHit>, options: RenderOptions): Promise<string> {
  const { hits } = results;
  const foot = footOf(results, { noun: "edits", next: nextStep(hits[0]), notes: options.notes });
  if (hits.length === 0) return ["No edit matches.", ...foot(0)].join("\n");
  const total = `${count(hits.length)} ${hits.length === 1 ? "edit" : "edits"}, newest first.`;
  const entries = hits.map((hit, index) => entryOf(hit, index + 1, options.mask));
  return fit({ head: [`${total} ${QUOTATION_NOTICE}`], entries, foot }, options.breathe);
}

function entryOf(hit: EditHit, ordinal: number, mask: Mask): Entry {
  const flags = [
    ...(hit.firstEdit ? ["first edit of this file in the index"] : []),
    ...(hit.reverted ? ["reverted"] : []),
    ...(hit.rootId === null ? [] : [`by a sub-agent of session ${name(hit.rootId)}`]),
  ];
  const where = [
    `message ${name(hit.messageId)}`,
    `session ${name(hit.sessionId)} ${titleOf(hit.sessionTitle, mask)}`,
    `in ${pathName(hit.directory)}`,
    `project ${name(hit.projectId)}`,
  ];
  const head = [
    "",
    `${ordinal}. ${[pathName(mask(hit.path)), name(hit.tool), localMinute(hit.time), ...flags].join(" · ")}`,
    `   ${where.join(" · ")}`,
  ];
  return { head, items: hit.prompt === null ? [] : [promptItem(hit.prompt, mask)] };
}

/** A long word that a cut may have split: what is left of a secret is no longer known for one. */
const CUT_TOKEN = /[\w+/=.~-]{16,}$/u;

function promptItem(prompt: NonNullable<EditHit["prompt"]>, mask: Mask): (width: number) => readonly string[] {
  const whole = prompt.cut ? prompt.text.replace(CUT_TOKEN, "") : prompt.text;
  const text = oneLine(mask(whole));
  const passage = { before: text, match: "", after: "", cutBefore: false, cutAfter: prompt.cut };
  return (width) => [
    `   asked for by the user in message ${name(prompt.messageId)}:`,
    `${GUTTER}${passageText(passage, width)}`,
  ];
}

function nextStep(first: EditHit | undefined): string {
  if (first === undefined) {
    return "try path: with the file's name alone, other words, or project:all; history-search-messages finds what was said about it.";
  }
  const args = { sessionID: first.sessionId, messageID: first.prompt?.messageId ?? first.messageId };
  return `history-read ${JSON.stringify(args)} reads what led to edit 1; any session and message id above works.`;
}
