import { readFile, writeFile } from "node:fs/promises";

import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";

import type { Archive } from "../../src/archive/archive.ts";
import { type FileSystem, nodeFileSystem } from "../../src/archive/file-system.ts";
import type { Message, Session } from "../../src/session/session.ts";
import { fullPass, Harness, update } from "../archive/harness.ts";
import { buildSession, BUILT_AT, userMessage } from "../support/builders.ts";
import { MANY_CASES } from "../support/test-size.ts";
import { hold } from "./hold.ts";

/** What happens to a session in the host, or to its file. */
type SessionStep =
  | { readonly kind: "say"; readonly session: number; readonly message: number; readonly text: string }
  | { readonly kind: "unsay"; readonly session: number; readonly message: number }
  | { readonly kind: "rename"; readonly session: number; readonly title: string }
  | { readonly kind: "delete"; readonly session: number }
  /** Bytes of its file are overwritten, or its end is cut off, while no archive has it open. */
  | { readonly kind: "damage"; readonly session: number; readonly at: number; readonly bytes: string | null };

type Step =
  | SessionStep
  | { readonly kind: "flush" }
  | { readonly kind: "restart" }
  | { readonly kind: "fail"; readonly code: string | null; readonly every: number };

const kind = <Kind extends Step["kind"]>(name: Kind) => fc.constant(name);

const SESSIONS = 3;

function steps(): fc.Arbitrary<readonly Step[]> {
  const session = fc.nat({ max: SESSIONS - 1 });
  const message = fc.nat({ max: 8 });
  const text = fc.constantFrom("short", 'line\nbreak "quoted" \\', "long ".repeat(2000), "🤖\u2028", "}\n    ],");
  // What makes the JSON unsound: other bytes in the words of a turn are as if a person had changed them.
  const bytes = fc.constantFrom("\0", "\0\0\0\0", "\0".repeat(500), "\u0007", null);
  const step = fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 8, arbitrary: fc.record({ kind: kind("say"), session, message, text }) },
    { weight: 2, arbitrary: fc.record({ kind: kind("unsay"), session, message }) },
    { weight: 1, arbitrary: fc.record({ kind: kind("rename"), session, title: text }) },
    { weight: 1, arbitrary: fc.record({ kind: kind("delete"), session: fc.nat({ max: SESSIONS - 2 }) }) },
    { weight: 4, arbitrary: fc.record({ kind: kind("flush") }) },
    { weight: 1, arbitrary: fc.record({ kind: kind("restart") }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: kind("fail"),
        code: fc.constantFrom("ENOSPC", "EIO", "EACCES", "EMFILE", null),
        every: fc.integer({ min: 1, max: 7 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: kind("damage"), session, at: fc.nat({ max: 100 }), bytes }) },
  );
  return fc.array(step, { minLength: 1, maxLength: 25 });
}

/** A file system of which every n-th call fails. */
class FaultyFiles {
  #calls = 0;
  code: string | null = null;
  every = 1;

  readonly system: FileSystem = new Proxy(nodeFileSystem, {
    get: (target, name, receiver) => {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        this.#calls += 1;
        if (this.code === null || this.#calls % this.every !== 0) return Reflect.apply(method, target, args);
        return Promise.reject(Object.assign(new Error(`${this.code}: made up`), { code: this.code }));
      };
    },
  });
}

/** The host's side of it: what the files must say in the end. */
interface Held {
  session: Session;
  readonly messages: Map<string, Message>;
  isDeleted: boolean;
}

let harness: Harness;
afterEach(() => harness.dispose());

class Play {
  readonly held: readonly Held[];
  readonly #files = new FaultyFiles();
  readonly #dirty = new Set<Held>();
  #archive: Archive;

  constructor() {
    this.held = Array.from({ length: SESSIONS }, (_, place) => ({
      session: buildSession({ id: `ses_${place}`, directory: harness.root }),
      messages: new Map(),
      isDeleted: false,
    }));
    this.#archive = this.#open();
  }

  async step(step: Step): Promise<void> {
    if (step.kind === "flush") await this.#archive.flush();
    else if (step.kind === "restart") await this.#restart();
    else if (step.kind === "fail") Object.assign(this.#files, { code: step.code, every: step.every });
    else {
      const one = this.held[step.session];
      if (one !== undefined && !one.isDeleted) await this.#change(one, step);
    }
  }

  /** All is well from now on, and everything is compared once more, as a listing leads to. */
  async end(): Promise<void> {
    this.#files.code = null;
    await this.#restart();
    const living = this.held.filter(({ isDeleted }) => !isDeleted);
    const outdated = await this.#archive.outdated(living.map(({ session }) => session));
    for (const one of living) {
      if (outdated.has(one.session.id) || this.#dirty.has(one))
        await fullPass(this.#archive, one.session, inOrder(one));
    }
    await this.#archive.flush();
  }

  #open(): Archive {
    return harness.open({ fileSystem: this.#files.system });
  }

  async #restart(): Promise<void> {
    await this.#archive.dispose();
    this.#archive = this.#open();
  }

  async #change(one: Held, step: SessionStep): Promise<void> {
    const { id } = one.session;
    const updatedAt = one.session.updatedAt + 1;
    switch (step.kind) {
      case "say": {
        const createdAt = BUILT_AT + step.message * 1000;
        const message = userMessage(`msg_${step.message}`, step.text, { sessionId: id, createdAt });
        one.session = { ...one.session, updatedAt };
        one.messages.set(message.id, message);
        return this.#try(one, () => update(this.#archive, one.session, [message]));
      }
      case "unsay":
        one.session = { ...one.session, updatedAt };
        one.messages.delete(`msg_${step.message}`);
        return this.#try(one, () => fullPass(this.#archive, one.session, inOrder(one)));
      case "rename":
        one.session = { ...one.session, title: step.title };
        return this.#try(one, () => update(this.#archive, one.session, []));
      case "delete":
        one.isDeleted = true;
        return this.#try(one, () => this.#archive.remove(id, BUILT_AT));
      case "damage":
        return this.#damage(id, step.at, step.bytes);
    }
  }

  async #try(one: Held, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch {
      this.#dirty.add(one);
    }
  }

  async #damage(id: string, at: number, bytes: string | null): Promise<void> {
    const { code } = this.#files;
    this.#files.code = null;
    await this.#archive.dispose();
    const path = harness.path(`${id}.json`);
    const text = await readFile(path, "utf8").catch(() => null);
    if (text !== null) {
      const place = Math.floor((text.length * at) / 101);
      await writeFile(
        path,
        bytes === null ? text.slice(0, place) : text.slice(0, place) + bytes + text.slice(place + bytes.length),
      );
    }
    this.#archive = this.#open();
    this.#files.code = code;
  }
}

function inOrder({ messages }: Held): Message[] {
  return [...messages.values()].sort((one, other) => one.createdAt - other.createdAt);
}

test("whatever fails or is damaged on the way, the files end as the host is", MANY_CASES, async () => {
  await hold(
    fc.asyncProperty(steps(), async (all) => {
      harness = await Harness.make();
      const play = new Play();
      for (const step of all) await play.step(step);
      await play.end();
      for (const one of play.held) {
        if (one.isDeleted) continue;
        const file = await harness.json(`${one.session.id}.json`);
        expect(file.title).toBe(one.session.title);
        expect(file.turns.map(({ messageId, parts }) => [messageId, parts[0]?.["text"]])).toEqual(
          inOrder(one).map(({ id, parts: [part] }) => [id, part?.type === "text" ? part.text : ""]),
        );
      }
      const names = await harness.names();
      expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
      const listed = (await harness.list()).map(({ id }) => id);
      expect(listed).toEqual(
        expect.arrayContaining(play.held.filter((one) => !one.isDeleted).map(({ session }) => session.id)),
      );
      await harness.dispose();
    }),
    { bounded: 25, full: 2000 },
  );
});
