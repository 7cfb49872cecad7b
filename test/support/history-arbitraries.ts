/** Random histories and requests, full of what makes texts hard to compare and sessions hard to scope. */

import * as fc from "fast-check";

import type { ProjectScope, QueryNode, TimeRange } from "../../src/query/ast.ts";
import type { SearchRequest } from "../../src/search/request.ts";
import type { Message, MessageRole, Part } from "../../src/session/session.ts";
import { BUILT_AT, buildMessage, buildSession, patchPart, reasoningPart, textPart, toolPart } from "./builders.ts";
import type { ReferenceSession } from "./reference-search.ts";

const WORDS = [
  "go",
  "db",
  "x",
  "quick ok fox",
  "quick brown fox",
  "function",
  "don't",
  "don\u2019t",
  "multi-agent",
  "multi\u2013agent",
  "今天讨论了部署方案",
  "部署",
  "🤖\ufe0f🤖",
  "🤖🤖",
  "👨\u200d👩\u200d👧",
  "ПРИВЕТ мир",
  "привет",
  "и\u0306",
  "йод",
  "ΟΔΟΣ",
  "οδος",
  "İstanbul",
  "ısı",
  "istanbul",
  "caf\u00e9",
  "cafe\u0301",
  "cafe",
  "ＡＢＣ",
  "abc\0def",
  "\ud83d",
  "C:\\x",
  "100%_",
  '"quoted"',
  "a*b^c",
  "useState()",
  "line\nbreak\t\ttab",
];

const DIRECTORIES: readonly (readonly [projectId: string, directory: string])[] = [
  ["p1", "/w/one"],
  ["p1", "/w/one-tree"],
  ["p2", "/w/two/sub"],
  ["p3", "E:\\work\\three"],
  ["global", "/tmp/x"],
  ["global", "/tmp/x/y"],
  ["global", "/w/one/before"],
];

const FILES = ["/w/one/src/a.ts", "src/a.ts", "a.ts", "/w/two/sub/b.ts", "e:\\work\\three\\a.ts", "/tmp/x/My File.ts"];
const ASKED_PATHS = [...FILES, "./src/a.ts", "E:/work/three/a.ts", "x/My File.ts", "s.ts", "b.ts"];
const SCOPES: readonly ProjectScope[] = [
  { kind: "all" },
  { kind: "current" },
  { kind: "id", id: "p1" },
  { kind: "id", id: "global" },
  { kind: "path", path: "/w/one" },
  { kind: "path", path: "/w/two" },
  { kind: "path", path: "e:\\work\\three" },
  { kind: "path", path: "/tmp/x" },
];

const DAY_MS = 86_400_000;
const DAYS = 6;
/** Longer than a document, so that what is said after it stands in another chunk. */
const FILLER = "lorem ipsum ".repeat(1500);

function texts(): fc.Arbitrary<string> {
  const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 });
  const separators = fc.constantFrom(" ", "", "\n\n", "\u00a0", " \ufe0f");
  return fc
    .tuple(words, separators, fc.integer({ min: 0, max: 80 }))
    .map(([some, separator, dice]) => (dice === 0 ? FILLER : "") + some.join(separator));
}

function parts(): fc.Arbitrary<Part> {
  return fc.oneof(
    { weight: 5, arbitrary: texts().map((text) => textPart(text)) },
    texts().map((text) => textPart(text, { synthetic: true })),
    texts().map((text) => reasoningPart(text)),
    fc.tuple(texts(), texts()).map(([command, output]) => toolPart("bash", { command }, { output, endedAt: null })),
    texts().map((query) => toolPart("history-search-messages", { query }, { output: query, endedAt: null })),
    texts().map((error) => toolPart("Grep", { pattern: "p" }, { status: "error", error, endedAt: null })),
    fc
      .tuple(fc.constantFrom("write", "edit"), fc.constantFrom(...FILES), texts())
      .map(([tool, filePath, content]) => toolPart(tool, { filePath, content }, { startedAt: null, endedAt: null })),
    fc.uniqueArray(fc.constantFrom(...FILES), { maxLength: 2 }).map((files) => patchPart(files)),
  );
}

interface MessageSeed {
  readonly role: MessageRole | null;
  readonly day: number;
  readonly parts: readonly Part[];
  readonly hasError: boolean;
  readonly isLinked: boolean;
}

function messageSeeds(): fc.Arbitrary<MessageSeed> {
  return fc.record({
    role: fc.constantFrom("user" as const, "assistant" as const, "assistant" as const, null),
    day: fc.integer({ min: 0, max: DAYS - 1 }),
    parts: fc.array(parts(), { maxLength: 3 }),
    hasError: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
    isLinked: fc.boolean(),
  });
}

interface SessionSeed {
  readonly place: (typeof DIRECTORIES)[number];
  readonly title: string;
  readonly messages: readonly MessageSeed[];
  readonly day: number;
  /** Position of another session, or past the end for none. */
  readonly parent: number;
  readonly forkOf: number;
  readonly archived: boolean;
  readonly revert: number;
}

function sessionSeeds(): fc.Arbitrary<SessionSeed> {
  return fc.record({
    place: fc.constantFrom(...DIRECTORIES),
    title: fc.oneof(texts(), fc.constant("")),
    messages: fc.array(messageSeeds(), { maxLength: 5 }),
    day: fc.integer({ min: 0, max: DAYS - 1 }),
    parent: fc.nat({ max: 12 }),
    forkOf: fc.nat({ max: 16 }),
    archived: fc.boolean(),
    revert: fc.nat({ max: 8 }),
  });
}

/** Every message and session has a time of its own, but for what a fork copies; ids do not follow the times. */
export function histories(): fc.Arbitrary<readonly ReferenceSession[]> {
  return fc.array(sessionSeeds(), { minLength: 1, maxLength: 7 }).map((seeds) => {
    let ticks = 0;
    const timeOn = (day: number): number => BUILT_AT + day * DAY_MS + (ticks += 1) * 1000;
    const built: ReferenceSession[] = [];
    for (const [index, seed] of seeds.entries()) {
      const id = `ses_${index}`;
      const original = seed.forkOf < index ? built[seed.forkOf] : undefined;
      const copied = (original?.messages ?? []).map((message, place) => copyOf(message, id, `msg_f${index}_${place}`));
      const own = seed.messages.map((message, place) => messageOf(message, id, timeOn(message.day), index, place));
      const messages = link(
        [...copied, ...own],
        [...copied.map(() => false), ...seed.messages.map((one) => one.isLinked)],
      );
      built.push({
        session: buildSession({
          id,
          projectId: seed.place[0],
          directory: seed.place[1],
          title: seed.title,
          parentId: seed.parent < seeds.length && seed.parent !== index ? `ses_${seed.parent}` : null,
          createdAt: BUILT_AT + index,
          updatedAt: timeOn(seed.day),
          archivedAt: seed.archived ? BUILT_AT : null,
          revert: seed.revert < messages.length ? { messageId: messages[seed.revert]?.id ?? "", partId: null } : null,
        }),
        messages,
      });
    }
    return built;
  });
}

function messageOf(seed: MessageSeed, sessionId: string, createdAt: number, session: number, place: number): Message {
  return buildMessage({
    id: `msg_${((session * 31 + place) * 7919) % 1009}`,
    sessionId,
    role: seed.role,
    createdAt,
    completedAt: null,
    error: seed.hasError ? { name: "APIError", message: "no db", statusCode: 500, isRetryable: false } : null,
    parts: seed.parts.map((part) =>
      part.type === "tool" && part.status === "completed" ? { ...part, endedAt: createdAt } : part,
    ),
  });
}

function copyOf(message: Message, sessionId: string, id: string): Message {
  return { ...message, id, sessionId, parentId: null };
}

/** Links messages to the user message before them in the list, as 1.18 does. */
function link(messages: readonly Message[], isLinked: readonly boolean[]): readonly Message[] {
  return messages.map((message, index) => {
    const user = messages.slice(0, index).findLast(({ role }) => role === "user");
    const parentId = isLinked[index] === true && message.role === "assistant" ? (user?.id ?? null) : message.parentId;
    return { ...message, parentId };
  });
}

/** Words of the histories, pieces of them, in either case. */
function terms(): fc.Arbitrary<string> {
  const pieces = fc
    .tuple(fc.constantFrom(...WORDS), fc.nat({ max: 8 }), fc.integer({ min: 1, max: 5 }))
    .map(([word, start, length]) => word.slice(start, start + length));
  return fc
    .tuple(fc.oneof(fc.constantFrom(...WORDS), pieces), fc.boolean())
    .map(([word, upper]) => (upper ? word.toUpperCase() : word))
    .filter((word) => word.replaceAll(/[\ufe00-\ufe0f]/gu, "") !== "" && word === word.trim());
}

export function searchedQueries(): fc.Arbitrary<QueryNode> {
  const leaf = fc.oneof(
    { weight: 6, arbitrary: terms().map((text): QueryNode => ({ kind: "term", text, quoted: false })) },
    terms().map((text): QueryNode => ({ kind: "title", text })),
    { weight: 2, arbitrary: fc.constantFrom(...ASKED_PATHS).map((path): QueryNode => ({ kind: "path", path })) },
    fc
      .constantFrom("bash", "GREP", "history-search-messages", "none")
      .map((tool): QueryNode => ({ kind: "tool", tool })),
    fc
      .constantFrom("subagent" as const, "archived" as const, "reverted" as const, "error" as const)
      .map((flag): QueryNode => ({ kind: "is", flag })),
  );
  return fc.letrec<{ node: QueryNode }>((tie) => {
    const operands = fc.array(tie("node"), { minLength: 2, maxLength: 3 });
    return {
      node: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        { weight: 4, arbitrary: leaf },
        { weight: 2, arbitrary: operands.map((some): QueryNode => ({ kind: "and", operands: some })) },
        { weight: 2, arbitrary: operands.map((some): QueryNode => ({ kind: "or", operands: some })) },
        { weight: 1, arbitrary: tie("node").map((operand): QueryNode => ({ kind: "not", operand })) },
      ),
    };
  }).node;
}

function ranges(): fc.Arbitrary<TimeRange> {
  return fc.tuple(fc.integer({ min: 0, max: DAYS }), fc.integer({ min: 0, max: 3 })).map(([day, length]) => ({
    from: BUILT_AT + day * DAY_MS,
    to: BUILT_AT + (day + length) * DAY_MS,
  }));
}

export function requests(): fc.Arbitrary<SearchRequest> {
  return fc
    .record({
      root: fc.option(searchedQueries(), { freq: 20 }),
      project: fc.oneof(
        { weight: 3, arbitrary: fc.constant(SCOPES[0] ?? { kind: "all" }) },
        fc.constantFrom(...SCOPES),
      ),
      role: fc.option(fc.constantFrom("user" as const, "assistant" as const), { freq: 2 }),
      date: fc.option(ranges(), { freq: 2 }),
      limit: fc.integer({ min: 1, max: 8 }),
      asker: fc.record({
        sessionId: fc.option(fc.nat({ max: 8 }).map((index) => `ses_${index}`)),
        projectId: fc.constantFrom("p1", "p2", "global"),
        directory: fc.constantFrom("/w/one", "/tmp/x", "/w/two/sub"),
        turnStartedAt: fc.option(fc.integer({ min: 0, max: DAYS }).map((day) => BUILT_AT + day * DAY_MS)),
      }),
    })
    .map(({ root, project, role, date, limit, asker }): SearchRequest => {
      const { signal } = new AbortController();
      return { query: { root, project, notes: [] }, role, date, limit, asker, signal };
    });
}
