/** Attachment: a file that came with a message, as the archive keeps it: by name, type, size and hash, or whole. */

import { createHash } from "node:crypto";

import type { TimeSlice } from "../runtime/time-slice.ts";
import type { FilePart } from "../session/session.ts";

export type AttachmentMode = "reference" | "inline";

export interface Attachment {
  readonly type: "file";
  readonly filename: string | null;
  readonly mime: string;
  /** Bytes, and hex; null when the host holds only a link to the file. */
  readonly size: number | null;
  readonly sha256: string | null;
  /** Where the file lies, when it is not part of the message. */
  readonly url?: string;
  /** Base64, in the mode "inline". */
  readonly data?: string;
}

const DATA_URL = /^data:[^,]*,/u;
/** Base64 characters decoded in one go; four of them are three bytes. */
const PIECE_LENGTH = 512 * 1024;

/** @param mask masks a link; data are not text and are not masked */
export async function archiveAttachment(
  part: FilePart,
  mode: AttachmentMode,
  slice: TimeSlice,
  mask: (text: string) => string,
): Promise<Attachment> {
  const base = {
    type: "file",
    filename: part.filename === null ? null : mask(part.filename),
    mime: part.mime,
  } as const;
  const head = part.url === null ? null : DATA_URL.exec(part.url)?.[0];
  if (part.url === null || head === null || head === undefined) {
    return { ...base, size: null, sha256: null, ...(part.url === null ? {} : { url: mask(part.url) }) };
  }
  const encoded = part.url.slice(head.length);
  const isBase64 = /;base64,$/iu.test(head);
  const hash = createHash("sha256");
  let size = 0;
  for (let start = 0; start < encoded.length; start += PIECE_LENGTH) {
    const piece = encoded.slice(start, start + PIECE_LENGTH);
    const bytes = isBase64 ? Buffer.from(piece, "base64") : Buffer.from(piece);
    hash.update(bytes);
    size += bytes.length;
    await slice.breathe();
  }
  const data = mode === "inline" ? { data: isBase64 ? encoded : Buffer.from(encoded).toString("base64") } : {};
  return { ...base, size, sha256: hash.digest("hex"), ...data };
}
