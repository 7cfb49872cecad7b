/**
 * Reference search: what each search must answer, computed over sessions in memory in the most obvious way. It shares
 * no code with the product: only types.
 */

import type { QueryNode } from "../../src/query/ast.ts";
import type { SearchRequest } from "../../src/search/request.ts";
import type { Message, Part, Session } from "../../src/session/session.ts";
import { referenceFold } from "./reference-fold.ts";

export interface ReferenceSession {
  readonly session: Session;
  readonly messages: readonly Message[];
}

export interface ReferenceHit {
  readonly sessionId: string;
  /** Words that matched, with the first message that has them; null when only the title has. */
  readonly matches: readonly { readonly term: string; readonly messageId: string | null }[];
}

export interface ReferenceEdit {
  readonly sessionId: string;
  readonly messageId: string;
  readonly path: string;
  readonly tool: string;
  readonly time: number;
  readonly promptMessageId: string | null;
  readonly firstEdit: boolean;
}

/** Every answer in full: limits are the comparing test's business. */
export class ReferenceSearch {
  readonly #all: readonly ReferenceSession[];
  readonly #request: SearchRequest;
  readonly #folded = new Map<string, string>();

  constructor(all: readonly ReferenceSession[], request: SearchRequest) {
    this.#all = all.map(({ session, messages }) => ({ session, messages: inOrder(messages) }));
    this.#request = request;
  }

  /** Newest activity first. */
  messages(): readonly ReferenceHit[] {
    return this.#matching().map((entry) => ({ sessionId: entry.session.id, matches: this.#matches(entry) }));
  }

  /** Matching sessions of each project. */
  projects(): ReadonlyMap<string, readonly string[]> {
    const projects = new Map<string, string[]>();
    for (const { session } of this.#matching()) {
      projects.set(session.projectId, [...(projects.get(session.projectId) ?? []), session.id]);
    }
    return projects;
  }

  /** Newest first. */
  edits(): readonly ReferenceEdit[] {
    const { root } = this.#request.query;
    const listed = this.#all
      .filter((entry) => this.#isInScope(entry.session) && !this.#isQuestionOnly(entry))
      .filter((entry) => root === null || this.#holds(root, entry, "edits", false))
      .flatMap((entry) =>
        this.#editsOf(entry)
          .filter(({ time }) => this.#isInRange(time))
          .filter(({ path }) => root === null || this.#selects(root, entry, path)),
      );
    const everyEdit = this.#all
      .filter((entry) => this.#isInScope(entry.session))
      .flatMap((entry) => this.#editsOf(entry));
    return withoutCopies(listed)
      .map((edit) => ({
        sessionId: edit.entry.session.id,
        messageId: edit.message.id,
        path: edit.path,
        tool: edit.tool,
        time: edit.time,
        promptMessageId: promptBefore(edit.entry.messages, edit.message),
        firstEdit: everyEdit.every((other) => other.path !== edit.path || other.time >= edit.time),
      }))
      .toSorted((one, other) => other.time - one.time);
  }

  #matching(): readonly ReferenceSession[] {
    const { root } = this.#request.query;
    return this.#all
      .filter((entry) => this.#isInScope(entry.session) && !this.#isQuestionOnly(entry))
      .filter((entry) => {
        if (root !== null && !this.#holds(root, entry, "sessions", false)) return false;
        if (this.#request.role === null && this.#request.date === null) return true;
        return this.#countingMessages(entry).length > 0 || (root !== null && this.#isBackedByWord(root, entry));
      })
      .toSorted((one, other) => other.session.updatedAt - one.session.updatedAt);
  }

  #matches(entry: ReferenceSession): ReferenceHit["matches"] {
    const matches = new Map<string, ReferenceHit["matches"][number]>();
    for (const node of words(this.#request.query.root)) {
      if (!this.#holds(node, entry, "sessions", false)) continue;
      const message =
        node.kind === "title" ? undefined : this.#countingMessages(entry).find((one) => this.#says(one, node.text));
      const key = `${node.kind} ${this.#fold(node.text)}`;
      if (!matches.has(key)) matches.set(key, { term: node.text, messageId: message?.id ?? null });
    }
    return [...matches.values()];
  }

  /** Whether the query, or a part of it, holds for a session. */
  #holds(node: QueryNode, entry: ReferenceSession, purpose: "sessions" | "edits", isExcluded: boolean): boolean {
    const { session } = entry;
    const past = this.#pastMessages(entry);
    switch (node.kind) {
      case "and":
        return node.operands.every((operand) => this.#holds(operand, entry, purpose, isExcluded));
      case "or":
        return node.operands.some((operand) => this.#holds(operand, entry, purpose, isExcluded));
      case "not":
        return !this.#holds(node.operand, entry, purpose, true);
      case "term": {
        if (isExcluded)
          return this.#has(session.title, node.text) || past.some((message) => this.#says(message, node.text));
        const dateCounts = purpose === "sessions";
        const counting = past.filter(
          (message) => this.#isOfRole(message) && (!dateCounts || this.#isInRange(message.createdAt)),
        );
        const titleCounts = !dateCounts || this.#isInRange(session.updatedAt);
        return (
          (titleCounts && this.#has(session.title, node.text)) ||
          counting.some((message) => this.#says(message, node.text))
        );
      }
      case "title":
        if (!this.#has(session.title, node.text)) return false;
        return isExcluded || purpose === "edits" || this.#isInRange(session.updatedAt);
      case "path": {
        const edits = this.#editsOf(entry).filter(({ path }) => isPath(path, node.path));
        return edits.some(({ time }) => isExcluded || purpose === "sessions" || this.#isInRange(time));
      }
      case "tool":
        return past.some((message) =>
          message.parts.some((part) => part.type === "tool" && isTool(part.tool, node.tool)),
        );
      case "is":
        switch (node.flag) {
          case "subagent":
            return session.parentId !== null;
          case "archived":
            return session.archivedAt !== null;
          case "reverted":
            return session.revert !== null;
          case "error":
            return past.some((message) => message.error !== null);
        }
    }
  }

  /** Whether a word in a message or a title is among the reasons for which the query holds. */
  #isBackedByWord(node: QueryNode, entry: ReferenceSession): boolean {
    if (!this.#holds(node, entry, "sessions", false)) return false;
    if (node.kind === "term" || node.kind === "title") return true;
    if (node.kind === "and" || node.kind === "or") {
      return node.operands.some((operand) => this.#isBackedByWord(operand, entry));
    }
    return false;
  }

  /** Whether an edit of a session for which the query holds is asked for. */
  #selects(node: QueryNode, entry: ReferenceSession, path: string): boolean {
    if (!this.#asks(node, entry)) return true;
    if (node.kind === "path") return isPath(path, node.path);
    if (node.kind === "and") {
      return node.operands.some((operand) => this.#asks(operand, entry) && this.#selects(operand, entry, path));
    }
    if (node.kind !== "or") return true;
    return node.operands.some(
      (operand) => this.#holds(operand, entry, "edits", false) && this.#selects(operand, entry, path),
    );
  }

  /** Whether a part of the query that holds names files: not when a branch of an OR holds that names none. */
  #asks(node: QueryNode, entry: ReferenceSession): boolean {
    if (node.kind === "path") return true;
    if (node.kind === "and") return node.operands.some((operand) => this.#asks(operand, entry));
    if (node.kind !== "or") return false;
    return node.operands
      .filter((operand) => this.#holds(operand, entry, "edits", false))
      .every((operand) => this.#asks(operand, entry));
  }

  #editsOf(entry: ReferenceSession): readonly MadeEdit[] {
    return this.#pastMessages(entry).flatMap((message) => editsIn(entry, message));
  }

  /** Messages of the role and date that the request names. */
  #countingMessages(entry: ReferenceSession): readonly Message[] {
    return this.#pastMessages(entry).filter((message) => this.#isOfRole(message) && this.#isInRange(message.createdAt));
  }

  /** Messages before the asking turn. */
  #pastMessages({ session, messages }: ReferenceSession): readonly Message[] {
    const start = this.#turnStart(session.id);
    return messages.filter((message) => start === null || message.createdAt < start);
  }

  /** Whether the session has nothing but the question that is being asked. */
  #isQuestionOnly(entry: ReferenceSession): boolean {
    return this.#turnStart(entry.session.id) !== null && this.#pastMessages(entry).length === 0;
  }

  /** When the turn that asks began in this session; null when the session does not ask. */
  #turnStart(sessionId: string): number | null {
    const { asker } = this.#request;
    const chain: ReferenceSession[] = [];
    for (let id = asker.sessionId; id !== null;) {
      const next = this.#all.find(({ session }) => session.id === id);
      if (next === undefined || chain.includes(next)) break;
      chain.push(next);
      id = next.session.parentId;
    }
    const asking = chain.find(({ session }) => session.id === sessionId);
    if (asking === undefined) return null;
    if (asking === chain[0] && asker.turnStartedAt !== null) return asker.turnStartedAt;
    return asking.messages.findLast(({ role }) => role === "user")?.createdAt ?? -Infinity;
  }

  #isInScope({ projectId, directory }: Session): boolean {
    const { query, asker } = this.#request;
    switch (query.project.kind) {
      case "all":
        return true;
      case "id":
        return projectId === query.project.id;
      case "path": {
        const asked = slashed(query.project.path);
        const projects = this.#all
          .filter(({ session }) => isAtOrBelow(session.directory, asked) && session.projectId !== "global")
          .map(({ session }) => session.projectId);
        return projects.includes(projectId) || isAtOrBelow(directory, asked);
      }
      case "current":
        if (projectId === asker.projectId && projectId !== "global") return true;
        if (asker.projectId !== "global" && projectId !== "global") return false;
        return isAtOrBelow(directory, slashed(asker.directory));
    }
  }

  #isInRange(time: number): boolean {
    const { date } = this.#request;
    return date === null || (time >= date.from && time < date.to);
  }

  #says(message: Message, word: string): boolean {
    return texts(message).some((text) => this.#has(text, word));
  }

  #has(text: string, word: string): boolean {
    return this.#fold(text).includes(this.#fold(word));
  }

  #fold(text: string): string {
    const known = this.#folded.get(text);
    if (known !== undefined) return known;
    const folded = referenceFold(text);
    this.#folded.set(text, folded);
    return folded;
  }

  #isOfRole(message: Message): boolean {
    return this.#request.role === null || message.role === this.#request.role;
  }
}

interface MadeEdit {
  readonly entry: ReferenceSession;
  readonly message: Message;
  readonly path: string;
  readonly tool: string;
  readonly time: number;
}

function inOrder(messages: readonly Message[]): readonly Message[] {
  return messages.toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

/** Words and titles outside of exclusions, in the order of the query. */
function words(node: QueryNode | null): readonly Extract<QueryNode, { kind: "term" | "title" }>[] {
  if (node === null) return [];
  if (node.kind === "term" || node.kind === "title") return [node];
  return node.kind === "and" || node.kind === "or" ? node.operands.flatMap(words) : [];
}

function texts(message: Message): readonly string[] {
  const error = message.error === null ? [] : [`${message.error.name}: ${message.error.message}`];
  return [...message.parts.flatMap(partTexts), ...error];
}

function partTexts(part: Part): readonly string[] {
  if (part.type === "text" || part.type === "reasoning") return [part.text];
  if (part.type !== "tool" || part.tool.startsWith("history-")) return [];
  return [part.tool, ...Object.values(part.input).map(String), part.output, part.error ?? ""];
}

function isTool(called: string, asked: string): boolean {
  return called.toLowerCase() === asked.toLowerCase() && !called.startsWith("history-");
}

/** Backslashes as slashes, drive letters in upper case. */
function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/^[a-z]:/u, (drive) => drive.toUpperCase());
}

function isAtOrBelow(directory: string, base: string): boolean {
  return slashed(directory) === base || slashed(directory).startsWith(`${base}/`);
}

function isPath(stored: string, asked: string): boolean {
  const wanted = slashed(asked).replace(/^\.\//u, "");
  if (wanted.startsWith("/") || /^[A-Z]:/u.test(wanted)) return stored === wanted;
  return stored === wanted || stored.endsWith(`/${wanted}`);
}

/** Completed calls first; what only the snapshot saw is added. */
function editsIn(entry: ReferenceSession, message: Message): readonly MadeEdit[] {
  const edits = new Map<string, MadeEdit>();
  const add = (path: string, tool: string, time: number): void => {
    const isAbsolute = path.startsWith("/") || /^[A-Za-z]:/u.test(path);
    const absolute = slashed(isAbsolute ? path : `${entry.session.directory}/${path}`);
    if (!edits.has(absolute)) edits.set(absolute, { entry, message, path: absolute, tool, time });
  };
  for (const part of message.parts) {
    if (part.type !== "tool" || part.status !== "completed" || !["write", "edit"].includes(part.tool)) continue;
    add(String(part.input["filePath"]), part.tool, part.endedAt ?? message.createdAt);
  }
  for (const part of message.parts) {
    if (part.type !== "patch") continue;
    for (const file of part.files) add(file, "snapshot", message.completedAt ?? message.createdAt);
  }
  return [...edits.values()];
}

/** A fork's copies of edits that are listed anyway are dropped: same moment, path, tool and words, younger session. */
function withoutCopies(edits: readonly MadeEdit[]): readonly MadeEdit[] {
  return edits.filter(
    (edit) =>
      !edits.some(
        (other) =>
          other.entry.session.createdAt < edit.entry.session.createdAt &&
          other.path === edit.path &&
          other.tool === edit.tool &&
          other.time === edit.time &&
          other.message.createdAt === edit.message.createdAt &&
          texts(other.message).join("\n") === texts(edit.message).join("\n"),
      ),
  );
}

/** The message a person wrote that this one answers, else the nearest such message before it. */
function promptBefore(messages: readonly Message[], edit: Message): string | null {
  const parent = messages.find(({ id }) => id === edit.parentId);
  if (parent !== undefined && isPrompt(parent)) return parent.id;
  const before = messages.slice(0, messages.indexOf(parent ?? edit));
  return before.findLast(isPrompt)?.id ?? null;
}

function isPrompt({ role, parts }: Message): boolean {
  return role === "user" && parts.some((part) => part.type === "text" && !part.synthetic && part.text.trim() !== "");
}
