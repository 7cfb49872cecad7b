/** Attachment: a file that came with a message, as the archive keeps it: by name, type, size and hash, or whole. */

import { createHash } from "node:crypto";

import type { TimeSlice } from "../runtime/time-slice.ts";
import type { FilePart } from "../session/session.ts";
import { wellFormed } from "../session/well-formed.ts";
import { AttachmentText } from "./attachment-text.ts";
import { parseDataUrl } from "./data-url.ts";

export type AttachmentMode = "reference" | "inline";

export interface Attachment {
  readonly type: "file";
  readonly filename: string | null;
  readonly mime: string;
  /** Of the original: bytes, and hex; null when the host holds only a link to the file. */
  readonly size: number | null;
  readonly sha256: string | null;
  /** Where the file lies, when it is not part of the message. */
  readonly url?: string;
  /** Base64, in the mode "inline"; secrets are masked in what is text. */
  readonly data?: string;
}

/**
 * Size and hash are those of the original, also when secrets were masked in `data`.
 * @param mask masks a name, a link, or data that are text; other data stay as they are
 */
export async function archiveAttachment(
  part: FilePart,
  mode: AttachmentMode,
  slice: TimeSlice,
  mask: (text: string) => Promise<string>,
): Promise<Attachment> {
  const base = {
    type: "file",
    filename: part.filename === null ? null : await mask(wellFormed(part.filename)),
    mime: part.mime,
  } as const;
  const file = part.url === null ? null : parseDataUrl(part.url);
  if (file === null) {
    const link = part.url === null ? {} : { url: await mask(wellFormed(part.url)) };
    return { ...base, size: null, sha256: null, ...link };
  }
  const hash = createHash("sha256");
  const text = mode === "inline" ? new AttachmentText(part.mime) : null;
  let size = 0;
  for (const bytes of file.pieces()) {
    hash.update(bytes);
    text?.add(bytes);
    size += bytes.length;
    await slice.breathe();
  }
  const attachment = { ...base, size, sha256: hash.digest("hex") };
  if (text === null) return attachment;
  const masked = await text.masked(mask, slice);
  return { ...attachment, data: masked ?? file.base64 ?? Buffer.concat([...file.pieces()]).toString("base64") };
}
