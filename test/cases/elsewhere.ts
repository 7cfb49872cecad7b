/** Elsewhere: the cases that tests beside the code itself hold the product to. */

export interface NamedTest {
  /** Within test/. */
  readonly file: string;
  /** How the test's title begins. */
  readonly title: string;
}

const inFile = (file: string, ...titles: readonly string[]): readonly NamedTest[] =>
  titles.map((title) => ({ file, title }));

const archive = (...titles: readonly string[]) => inFile("archive/archive.test.ts", ...titles);
const liveSync = (...titles: readonly string[]) => inFile("sync/live-sync.test.ts", ...titles);
const backfill = (...titles: readonly string[]) => inFile("sync/backfill.test.ts", ...titles);

export const ELSEWHERE: readonly { readonly case: number; readonly tests: readonly NamedTest[] }[] = [
  { case: 27, tests: inFile("query/date-range.test.ts", "case 27: at %s, %j begins on %s") },
  {
    case: 34,
    tests: [
      ...inFile("search-index/torture.process.test.ts", "eight processes on one index, four of them killed at random"),
      ...inFile(
        "integration/processes.test.ts",
        "find each other's sessions",
        "lose nothing when one of them is killed",
      ),
      ...inFile("sync/search-index.test.ts", "lets two processes with clocks an hour apart follow one session"),
    ],
  },
  {
    case: 39,
    tests: [
      ...inFile("archive/atomic-write.test.ts", "that meets %s leaves the old file whole"),
      ...inFile("archive/failures.test.ts", "the old file stays whole, one line says so"),
      ...inFile("archive/damage.test.ts", "that is $name is reported, kept, and rebuilt from the host"),
    ],
  },
  {
    case: 42,
    tests: inFile(
      "archive/atomic-write.test.ts",
      "waits while another program holds the file",
      "gives up when the file is held for seconds",
    ),
  },
  {
    case: 43,
    tests: [
      ...inFile(
        "archive/atomic-write.test.ts",
        "does not mind others that write the same file",
        "is never the same twice",
      ),
      ...inFile("archive/failures.test.ts", "temporary files of processes that are gone are removed"),
    ],
  },
  {
    case: 46,
    tests: inFile(
      "archive/concurrency.test.ts",
      "has all of 20 sessions that three processes created at once",
      "is derived again when it is missing or wrong",
    ),
  },
  {
    case: 47,
    tests: [
      ...archive("are not written when nothing is new"),
      ...liveSync(
        "does not write what did not change",
        "stores what is added, and calls the host as often for a long session",
      ),
      ...backfill("reads nothing but the listing when everything is up to date"),
    ],
  },
  {
    case: 48,
    tests: [
      ...archive("keep a removed turn among the removed ones"),
      ...liveSync(
        "drops a removed message from a session of %i",
        "drops a removed part with its message's next reading",
      ),
    ],
  },
  {
    case: 49,
    tests: [
      ...archive("show a new title in file and list"),
      ...inFile("scenarios/scenarios.ts", "a renamed session is found by its new title, and not by the old one"),
    ],
  },
  {
    case: 50,
    tests: [
      ...archive("pair permissions by request, with the answer that was given"),
      ...inFile(
        "host/v1/events.test.ts",
        "pair each permission with its answer",
        "an asked permission of the older kind",
        "a reply of the older kind",
        "a refusal of the older kind",
      ),
    ],
  },
  {
    case: 52,
    tests: inFile(
      "archive/file-layout.test.ts",
      "never leads anywhere else: %j",
      "nothing is written when it is a link that leads out of the worktree",
    ),
  },
  {
    case: 53,
    tests: [
      ...archive("keeps its file, marked in file and list, and does not come back"),
      ...backfill("does not bring back what was deleted"),
      ...inFile("scenarios/scenarios.ts", "a deleted session is not found any more, nor is its sub-agent's"),
    ],
  },
  {
    case: 56,
    tests: [
      ...inFile(
        "archive/file-layout.test.ts",
        "is another one for each id, whatever it looks like",
        "ids that escape, are reserved or differ in case each have a file of their own",
      ),
      ...inFile("host/v1/reader.test.ts", "encodes ids, so that no id reaches another route"),
    ],
  },
  {
    case: 58,
    tests: [
      ...archive("keeps its file, marked in file and list, and does not come back"),
      ...inFile("archive/concurrency.test.ts", "keep a deletion that the other one has seen"),
      ...liveSync("lets a deletion before any refresh stand, whatever comes late"),
    ],
  },
  {
    case: 59,
    tests: [
      ...archive("that was deleted before its first write leaves a marked file"),
      ...liveSync("lets a deletion during the first refresh stand", "lets a deletion stand that overtakes a full pass"),
    ],
  },
  {
    case: 68,
    tests: [
      ...liveSync(
        "makes few refreshes of a storm of 80,000 events in a minute",
        "compares the whole session when a storm",
      ),
      ...inFile("host/v1/events.test.ts", "a delta"),
    ],
  },
  {
    case: 70,
    tests: [
      ...backfill(
        "finds within ten minutes what happened without any event",
        "finds within seconds what happened while the event stream was lost",
      ),
      ...liveSync("walks back over messages whose events never came"),
    ],
  },
  {
    case: 71,
    tests: backfill(
      "goes on with a long session at the page that failed",
      "holds one page of a long session at a time",
      "goes on where another one stopped: nothing is stored twice",
    ),
  },
  {
    case: 75,
    tests: [
      ...backfill("is not held up by sessions that fail or hang, says so once each"),
      ...liveSync(
        "says once that a session cannot be read, tries it without end and delays no other",
        "keeps the healthy sink current while the other one fails",
      ),
    ],
  },
  {
    case: 84,
    tests: [
      ...backfill("keeps sessions that the listing does not name"),
      ...liveSync("never empties a sink because the host lists no messages"),
    ],
  },
  {
    case: 85,
    tests: [
      ...inFile("redact/mask.test.ts", "masks secrets", "and finds a secret wherever a window ends"),
      ...archive("masks secrets wherever they stand, and counts them"),
      ...inFile("archive/failures.test.ts", "is one line for each failure, without line breaks or secrets"),
      ...inFile("tools/failures.test.ts", "never shows a secret of its hits"),
      ...inFile("render/passage.test.ts", "never shows a piece of a secret"),
      ...inFile("integration/archive.test.ts", "never holds a secret"),
    ],
  },
  {
    case: 87,
    tests: [
      ...inFile("archive/failures.test.ts", "hide everything, and a person's own are left as they are"),
      ...inFile("integration/archive.test.ts", "is no edit of the agent's, and a revert leaves it alone"),
      ...archive("are not written when nothing is new"),
    ],
  },
  { case: 90, tests: inFile("archive/file-layout.test.ts", "the place of an archive (case 90)") },
];
