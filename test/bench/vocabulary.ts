/** Vocabulary: the words, names, paths and CJK text that a corpus is written with. */

import { createRandom, type Random } from "./random.ts";

const COMMON =
  "the of and to in is that it for on as with this was be are not but have from at by an or if we you can should will " +
  "when then there which would so do does file code test error function change need use add fix return value data run";
const SYLLABLES =
  "al ar ba be bi bo ca ce co cu da de di do el en er fa fi fo ga ge go ha he ho in ir ka ki la le li lo ma me mi mo na " +
  "ne no or pa pe po ra re ri ro sa se si so sta ta te ti to tra tu un ur va ve vi vo wa wi ter con pro tion ment ing er ly";
const CODE =
  "const let function return import export interface type class async await new if else for while switch case null " +
  "undefined true false string number boolean Promise Map Set Array Error throw try catch this readonly extends";
const TYPES: readonly [string, ...string[]] = ["ts", "ts", "tsx", "py", "go", "rs", "md", "json"];
const CJK =
  "今天讨论了方案的问题在于数据库连接超时我们需要修改配置文件并重新运行测试用户登录功能已经完成请检查日志输出结果";

const PROSE_WORDS = 6000;
const IDENTIFIERS = 4000;
const FILES = 3000;

export interface Vocabulary {
  /** Words of prose, the most frequent first. */
  readonly prose: readonly string[];
  readonly code: readonly string[];
  readonly identifiers: readonly string[];
  /** Relative to a project's directory. */
  readonly files: readonly string[];
  readonly cjk: readonly string[];
}

export function createVocabulary(): Vocabulary {
  const random = createRandom(20_261_201);
  const syllables = SYLLABLES.split(" ");
  const word = (): string =>
    Array.from({ length: random.between(2, 4) }, () => syllables[random.below(syllables.length)]).join("");
  const prose = [...COMMON.split(" "), ...Array.from({ length: PROSE_WORDS }, word)];
  const name = (): string => prose[20 + random.below(2000)] ?? "name";
  const identifiers = Array.from({ length: IDENTIFIERS }, () => {
    const second = name();
    return random.chance(0.7) ? name() + second.charAt(0).toUpperCase() + second.slice(1) : `${name()}_${second}`;
  });
  const files = Array.from({ length: FILES }, () => `src/${name()}/${name()}-${name()}.${random.pick(TYPES)}`);
  return { prose, code: CODE.split(" "), identifiers, files, cjk: Array.from(CJK) };
}

/** Picks words as languages do: the n-th most frequent about 1/n as often as the first. */
export function createZipf(random: Random, size: number): () => number {
  const logarithm = Math.log(size + 1);
  return () => Math.min(size - 1, Math.floor(Math.exp(((random.below(1_000_000) + 0.5) / 1_000_000) * logarithm)) - 1);
}
