/** Vocabulary: the words, names, paths and CJK text that a corpus is written with. */

import { createRandom, type Random } from "./random.ts";

/** Words as they stand in coding sessions, roughly by how often they do. */
const WORDS =
  "the to a of and is in that it for on this with be as not we are have you can if from at by an or so should will when " +
  "then there which would do does file code test error function change need use add fix return value data run now but " +
  "line also just only let see check make call set get type name new first one all any each same other more into out up " +
  "before after because since where what how why who still already again instead without between while until through " +
  "session message query index search update read write open close start stop create delete remove move copy merge split " +
  "build deploy install package version release config option default setting path folder directory module import export " +
  "class method property object array string number boolean null undefined promise async await callback event handler " +
  "listener request response server client connection socket port host address route endpoint payload header cookie token " +
  "user account login password permission role access policy secret key certificate signature hash digest encode decode " +
  "parse render format print log trace debug warn info fatal crash bug issue problem failure exception retry timeout delay " +
  "interval schedule queue worker thread process task job batch stream buffer chunk page cursor offset limit count total " +
  "average maximum minimum range filter sort group join select insert table column row record field schema migration " +
  "transaction commit rollback lock deadlock race conflict branch tag pull push clone fetch remote origin upstream rebase " +
  "review approve comment suggestion documentation readme example usage guide tutorial reference specification contract " +
  "interface implementation abstract concrete generic template pattern strategy factory adapter wrapper proxy decorator " +
  "component view model controller service repository store state action reducer selector effect hook context provider " +
  "consumer layout style theme color button input form modal dialog dropdown list item card header footer sidebar menu " +
  "image icon font animation transition scroll click hover focus keyboard mouse touch mobile desktop browser window frame " +
  "memory cache disk network latency throughput performance benchmark profile optimize improve reduce increase avoid prevent " +
  "support handle manage control monitor measure verify validate confirm ensure expect assert mock stub fixture snapshot " +
  "coverage suite case scenario regression unit integration acceptance pipeline workflow artifact container image cluster node " +
  "replica shard partition backup restore archive compress extract upload download sync replicate publish subscribe topic " +
  "broker consumer producer offset partition graph tree leaf root parent child sibling ancestor depth breadth visit walk " +
  "traverse map reduce fold zip flatten unique distinct duplicate empty missing invalid unknown unexpected unsupported legacy " +
  "deprecated obsolete outdated current latest stable nightly experimental feature flag toggle rollout canary";
const ENDINGS = ["", "s", "ed", "ing", "er", "able", "ly", "less"];
const CODE =
  "const let function return import export interface type class async await new if else for while switch case null " +
  "undefined true false string number boolean Promise Map Set Array Error throw try catch this readonly extends";
const TYPES: readonly [string, ...string[]] = ["ts", "ts", "tsx", "py", "go", "rs", "md", "json"];
const CJK =
  "今天讨论了方案的问题在于数据库连接超时我们需要修改配置文件并重新运行测试用户登录功能已经完成请检查日志输出结果";

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
  const words = [...new Set(WORDS.split(" "))];
  const prose = ENDINGS.flatMap((ending) => words.map((word) => word + ending));
  const name = (): string => words[40 + random.below(words.length - 40)] ?? "name";
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
