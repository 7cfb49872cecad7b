/**
 * Session writer: writes a record into its file. Turns that did not change are copied as bytes from the old file, in
 * stretches as long as possible; what changed is taken from the spool.
 */

import { SLICE_MS, startTimeSlice, type TimeSlice } from "../runtime/time-slice.ts";
import type { Clock } from "../runtime/clock.ts";
import { type ByteSink, writeAtomically } from "./atomic-write.ts";
import { type FileHandle, type FileIdentity, type FileSystem, identityOf, sameFile } from "./file-system.ts";
import type { ScannedTurn } from "./session-file-scan.ts";
import type { SessionHeader } from "./session-file.ts";
import { headerText, MARKS, tailText, turnHeadText } from "./session-file-text.ts";
import { compareTurns, headOf, type RevertMark, type SessionRecord, type Turn } from "./session-record.ts";
import type { Spool } from "./spool.ts";

export interface WriteTools {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
}

export type WriteOutcome =
  /** The file holds the record now. */
  | { readonly kind: "written"; readonly file: FileIdentity }
  /** The file is no longer the one the record was made of: it has to be read again first. */
  | { readonly kind: "overtaken" };

/** Bytes copied in one go. */
const COPY_BYTES = 1024 * 1024;

/**
 * Writes the record, and moves its turns' places to the new file.
 * @throws what the file system rejects with; the record is then as it was
 */
export async function writeSession(
  record: SessionRecord,
  header: SessionHeader,
  spool: Spool,
  path: string,
  { fileSystem, clock }: WriteTools,
): Promise<WriteOutcome> {
  const base = record.file;
  const isCurrent = async () => {
    const now = await identityOf(fileSystem, path);
    return base === null ? now === null : sameFile(now, base);
  };
  if (!(await isCurrent())) return { kind: "overtaken" };

  const source = base === null ? null : await fileSystem.open(path, "r");
  const moved = new Map<Turn, ScannedTurn>();
  let file: FileIdentity | null;
  try {
    file = await writeAtomically({
      fileSystem,
      clock,
      path,
      mayReplace: isCurrent,
      async content(sink) {
        const writer = new TurnWriter(sink, spool, source, moved, startTimeSlice(clock, SLICE_MS / 2));
        await sink.write(headerText(header));
        await writer.section(record.inOrder(), revertMarks(record));
        await sink.write(MARKS.removedTurns);
        await writer.section(record.removedInOrder(), () => STANDING);
        await sink.write(tailText(record.tail));
      },
    });
  } finally {
    await source?.close();
  }
  if (file === null) return { kind: "overtaken" };
  // Another process may have looked before our rename and renamed after it. Record and spool still hold what we wrote.
  const landed = await identityOf(fileSystem, path);
  if (landed === null || landed.inode !== file.inode || landed.size !== file.size) return { kind: "overtaken" };
  record.file = landed;
  const slice = startTimeSlice(clock, SLICE_MS / 2);
  for (const turns of [record.turns, record.removedTurns]) {
    for (const [id, turn] of turns) {
      const place = moved.get(turn);
      if (place !== undefined) turns.set(id, { ...turn, place: { kind: "filed", turn: place } });
      await slice.breathe();
    }
  }
  return { kind: "written", file: landed };
}

const STANDING: RevertMark = {};
const REVERTED: RevertMark = { reverted: true };

/** The mark of each turn: the turns from the boundary on are reverted. */
function revertMarks({ header: { revert }, turns }: SessionRecord): (turn: Turn) => RevertMark {
  const boundary = revert === null ? undefined : turns.get(revert.messageId);
  if (revert === null || boundary === undefined) return () => STANDING;
  // A revert from a part on leaves the beginning of its message standing.
  const atBoundary = revert.partId === null ? REVERTED : { revertedFromPart: revert.partId };
  return (turn) => {
    if (turn === boundary) return atBoundary;
    return compareTurns(turn, boundary) < 0 ? STANDING : REVERTED;
  };
}

/** A stretch of the old file that is copied as it is. */
interface Stretch {
  readonly start: number;
  end: number;
}

class TurnWriter {
  readonly #sink: ByteSink;
  readonly #spool: Spool;
  readonly #source: FileHandle | null;
  readonly #moved: Map<Turn, ScannedTurn>;
  readonly #slice: TimeSlice;
  #stretch: Stretch | null = null;
  /** One buffer for all copying: a new one each time keeps the garbage collector busy. */
  #copied: Buffer | null = null;
  /** Bytes of the stretch that is not written yet. */
  #ahead = 0;

  constructor(
    sink: ByteSink,
    spool: Spool,
    source: FileHandle | null,
    moved: Map<Turn, ScannedTurn>,
    slice: TimeSlice,
  ) {
    this.#sink = sink;
    this.#spool = spool;
    this.#source = source;
    this.#moved = moved;
    this.#slice = slice;
  }

  /** Writes the turns of one array and its closing bracket. */
  async section(turns: readonly Turn[], markOf: (turn: Turn) => RevertMark): Promise<void> {
    for (const [place, turn] of turns.entries()) {
      await this.#turn(turn, markOf(turn), place === 0 ? "\n" : ",\n");
      await this.#slice.breathe();
    }
    await this.#endStretch();
    await this.#sink.write(turns.length === 0 ? "]" : MARKS.sectionEnd);
  }

  async #turn(turn: Turn, mark: RevertMark, separator: string): Promise<void> {
    const head = headOf(turn, mark);
    if (turn.place.kind === "filed") {
      const { turn: old } = turn.place;
      if (this.#stretch !== null && old.start === this.#stretch.end + separator.length && sameHead(old.head, head)) {
        // Its neighbour before it is copied too: the stretch grows over it.
        this.#note(turn, this.#position + separator.length, old);
        this.#ahead += old.end - this.#stretch.end;
        this.#stretch.end = old.end;
        return;
      }
      await this.#endStretch();
      await this.#sink.write(separator);
      if (sameHead(old.head, head)) {
        this.#note(turn, this.#position, old);
        this.#stretch = { start: old.start, end: old.end };
        this.#ahead = old.end - old.start;
        return;
      }
    } else {
      await this.#endStretch();
      await this.#sink.write(separator);
    }
    await this.#rewritten(turn, head);
  }

  async #rewritten(turn: Turn, head: ScannedTurn["head"]): Promise<void> {
    const start = this.#position;
    await this.#sink.write(turnHeadText(head));
    const bodyStart = this.#position;
    if (turn.place.kind === "waiting") await this.#sink.write(await this.#spool.read(turn.place.place));
    else await this.#copy(turn.place.turn.bodyStart, turn.place.turn.end);
    this.#moved.set(turn, { head, start, bodyStart, end: this.#position });
  }

  /** Where the next byte goes in the new file. */
  get #position(): number {
    return this.#sink.position + this.#ahead;
  }

  #note(turn: Turn, start: number, old: ScannedTurn): void {
    const by = start - old.start;
    this.#moved.set(turn, { head: old.head, start, bodyStart: old.bodyStart + by, end: old.end + by });
  }

  async #endStretch(): Promise<void> {
    const stretch = this.#stretch;
    if (stretch === null) return;
    this.#stretch = null;
    this.#ahead = 0;
    await this.#copy(stretch.start, stretch.end);
  }

  async #copy(start: number, end: number): Promise<void> {
    if (this.#source === null) throw new Error("A turn lies in a file that does not exist.");
    for (let at = start; at < end;) {
      const bytes = (this.#copied ??= Buffer.allocUnsafe(COPY_BYTES));
      const { bytesRead } = await this.#source.read(bytes, 0, Math.min(COPY_BYTES, end - at), at);
      if (bytesRead === 0) throw new Error("A session file ended before its last turn.");
      await this.#sink.write(bytes.subarray(0, bytesRead));
      at += bytesRead;
    }
  }
}

function sameHead(one: ScannedTurn["head"], other: ScannedTurn["head"]): boolean {
  return (
    one.reverted === other.reverted &&
    one.revertedFromPart === other.revertedFromPart &&
    one.digest === other.digest &&
    one.removedAt === other.removedAt &&
    one.role === other.role &&
    one.timestamp === other.timestamp &&
    (one.redacted === other.redacted || JSON.stringify(one.redacted) === JSON.stringify(other.redacted))
  );
}
