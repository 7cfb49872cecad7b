/** Prompt behind: what a person had asked for before an edit was made. */

import type { IndexReader } from "../search-index/reader.ts";
import type { EditRow } from "../search-index/reader-edits.ts";
import type { EditHit } from "./results.ts";

/** Ends a stored prompt that was longer (session/searchable-text.ts promptText). */
const CUT = "…";
/** A shorter prompt that ends so was written so. */
const SHORTEST_CUT = 200;

/**
 * The nearest message a person wrote: the one the editing message answers, where the host links them, else by time
 * (never by id: ids do not sort by time). What the host wrote on a person's behalf is passed over.
 */
export function promptBehind(reader: IndexReader, edit: EditRow): EditHit["prompt"] {
  const { sessionKey, messageId } = edit;
  const message = reader.documents.message(sessionKey, messageId);
  const parent = message?.parentId == null ? null : reader.documents.message(sessionKey, message.parentId);
  const before = parent ?? { createdAt: edit.messageAt, messageId };
  const found =
    parent?.prompt == null ? reader.documents.promptBefore(sessionKey, before.createdAt, before.messageId) : parent;
  if (found?.prompt == null) return null;
  const cut = found.prompt.length >= SHORTEST_CUT && found.prompt.endsWith(CUT);
  return { messageId: found.messageId, text: cut ? found.prompt.slice(0, -CUT.length) : found.prompt, cut };
}
