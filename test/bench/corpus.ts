/**
 * Corpus: sessions like those of a year of work, the same in every run: prose, code, tool output and paths, sessions
 * of two to several hundred messages, one of 10,000, one message of 5 MB, and words planted at known rarity.
 */

import type { Message, Part, Session } from "../../src/session/session.ts";
import { buildMessage, buildSession, reasoningPart, textPart, toolPart } from "../support/builders.ts";
import { createRandom, type Random } from "./random.ts";
import { createVocabulary, createZipf, type Vocabulary } from "./vocabulary.ts";

export interface CorpusSession {
  readonly session: Session;
  readonly messages: readonly Message[];
}

export interface CorpusOptions {
  readonly messages: number;
  /** Messages of the largest session; 10,000 where the corpus is large enough. */
  readonly largestSession?: number;
  readonly longestMessage?: number;
}

/** Words that stand in about one of so many messages, and nowhere else. */
export const PLANTED = { zanzibar: 20_000, quokka: 1500, "blue heron migration": 6000, 部署方案: 900 } as const;

/** When the newest message of a corpus was written. */
export const CORPUS_END = Date.UTC(2026, 10, 30, 18);

const DAY_MS = 86_400_000;
const SPAN_MS = 400 * DAY_MS;
const PROJECTS = 40;
const MB = 1024 * 1024;
/** Messages of a session on the average, from which the number of sessions, and their distance in time, follows. */
const MEAN_SESSION = 115;

/** Sessions newest first, as a backfill meets them. */
export function* corpusSessions(options: CorpusOptions): Generator<CorpusSession, void, void> {
  const random = createRandom(42);
  const write = createWriter(random, createVocabulary());
  const largest = options.largestSession ?? Math.min(10_000, Math.floor(options.messages / 6));
  const distance = SPAN_MS / Math.max(1, options.messages / MEAN_SESSION);
  let written = 0;
  for (let number = 0; written < options.messages; number += 1) {
    const wanted = number === 20 ? largest : Math.round(2 + Math.exp(random.below(1000) / 150));
    const count = Math.min(wanted, options.messages - written);
    const endsAt = Math.round(CORPUS_END - number * distance);
    const session = write.session(number, count, endsAt);
    const messages = write.messages(session, count, written, number === 10 ? (options.longestMessage ?? 5 * MB) : 0);
    written += count;
    yield { session, messages };
  }
}

interface Writer {
  session(number: number, messages: number, endsAt: number): Session;
  /** @param longText UTF-16 units of one message that is far longer than the others; 0 for none */
  messages(session: Session, count: number, firstOrdinal: number, longText: number): readonly Message[];
}

const MESSAGE_DISTANCE_MS = 20_000;

function createWriter(random: Random, vocabulary: Vocabulary): Writer {
  const zipfWord = createZipf(random, vocabulary.prose.length);
  const zipfProject = createZipf(random, PROJECTS);

  const proseWord = (): string => vocabulary.prose[zipfWord()] ?? "the";
  const prose = (words: number): string => {
    let text = "";
    for (let index = 0; index < words; index += 1) {
      text += proseWord();
      text += index % 14 === 13 ? ".\n" : " ";
    }
    return text;
  };
  const cjk = (characters: number): string =>
    Array.from({ length: characters }, () => vocabulary.cjk[random.below(vocabulary.cjk.length)]).join("");

  /** Mostly few, sometimes very many: from `least` up to e^(1000 / slope) times as many. */
  const many = (least: number, slope: number): number => Math.round(least * Math.exp(random.below(1000) / slope));

  const line = ({ identifiers }: Topic): string => {
    const name = (): string => identifiers[random.below(identifiers.length)] ?? "name";
    const keyword = vocabulary.code[random.below(vocabulary.code.length)] ?? "const";
    switch (random.below(6)) {
      case 0:
        return `${keyword} ${name()} = await ${name()}(${name()}, "${proseWord()}");`;
      case 1:
        return `  if (${name()}.${name()} === null) return ${name()};`;
      case 2:
        return "}";
      case 3:
        return `  // ${prose(6)}`.trimEnd();
      case 4:
        return "";
      default:
        return `  ${keyword} ${name()}.${name()}(${random.below(500)});`;
    }
  };
  const code = (topic: Topic, lines: number): string => Array.from({ length: lines }, () => line(topic)).join("\n");
  const log = (topic: Topic, lines: number): string =>
    Array.from({ length: lines }, (_, index) =>
      random.chance(0.5)
        ? `${topic.file()}:${random.below(400)}:${line(topic)}`
        : `[${String(index).padStart(4, "0")}] INFO ${prose(8).trim()} in ${random.below(900)} ms`,
    ).join("\n");

  const assistantParts = (topic: Topic, directory: string, at: number): Part[] => {
    const done = { startedAt: at, endedAt: at + 900 };
    const file = topic.file();
    switch (random.below(10)) {
      case 0:
      case 1:
        return [toolPart("read", { filePath: `${directory}/${file}` }, { ...done, output: code(topic, many(3, 185)) })];
      case 2:
      case 3:
        return [
          reasoningPart(prose(many(4, 350))),
          toolPart("bash", { command: `npm test -- ${file}` }, { ...done, output: log(topic, many(1, 240)) }),
        ];
      case 4:
      case 5: {
        const input = { filePath: `${directory}/${file}`, oldString: code(topic, 4), newString: code(topic, 7) };
        return [textPart(prose(12)), toolPart("edit", input, { ...done, output: "Edit applied successfully." })];
      }
      case 6:
        return [toolPart("grep", { pattern: proseWord() }, { ...done, output: log(topic, many(1, 240)) })];
      case 7:
        return [
          toolPart(
            "write",
            { filePath: `${directory}/${file}`, content: code(topic, many(2, 230)) },
            { ...done, output: "ok" },
          ),
        ];
      default:
        return [textPart(`${prose(many(6, 330))}\n\`\`\`ts\n${code(topic, many(1, 330))}\n\`\`\``)];
    }
  };

  return {
    session(number, messages, endsAt) {
      const project = zipfProject();
      const isSubagent = random.chance(0.12);
      return buildSession({
        id: `ses_${String(number).padStart(6, "0")}`,
        projectId: `project-${project}`,
        directory: random.chance(0.1) ? `/work/project-${project}-tree` : `/work/project-${project}`,
        title: prose(6).trim(),
        parentId: isSubagent ? `ses_${String(number + 1).padStart(6, "0")}` : null,
        createdAt: endsAt - messages * MESSAGE_DISTANCE_MS,
        updatedAt: endsAt,
      });
    },
    messages(session, count, firstOrdinal, longText) {
      const topic = createTopic(random, vocabulary);
      const idOf = (index: number): string => `msg_${String(firstOrdinal + index).padStart(8, "0")}`;
      let user: string | null = null;
      return Array.from({ length: count }, (_, index): Message => {
        const isUser = index % 6 === 0;
        const at = session.createdAt + index * MESSAGE_DISTANCE_MS;
        if (isUser) user = idOf(index);
        const words = isUser ? [textPart(prose(random.between(8, 90)))] : assistantParts(topic, session.directory, at);
        if (isUser && random.chance(0.05)) words.push(textPart(cjk(random.between(10, 80))));
        if (index === 1 && longText > 0) words.push(textPart(prose(longText / 5).slice(0, longText)));
        const planted = Object.entries(PLANTED).filter(([, rarity]) => (firstOrdinal + index) % rarity === 7);
        words.push(...planted.map(([word]) => textPart(`${prose(4)}${word} ${prose(4)}`)));
        return buildMessage({
          id: idOf(index),
          sessionId: session.id,
          role: isUser ? "user" : "assistant",
          createdAt: at,
          parentId: isUser ? null : user,
          parts: words,
        });
      });
    },
  };
}

/** What a session is about: it comes back to the same names and files. */
interface Topic {
  readonly identifiers: readonly string[];
  file(): string;
}

function createTopic(random: Random, { identifiers, files }: Vocabulary): Topic {
  const some = (all: readonly string[], count: number): string[] =>
    Array.from({ length: count }, () => all[random.below(all.length)] ?? "");
  const ofSession = some(files, 12);
  return { identifiers: some(identifiers, 60), file: () => ofSession[random.below(ofSession.length)] ?? "a.ts" };
}
