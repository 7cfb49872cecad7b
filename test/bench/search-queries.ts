/** Search queries: what the search bench asks, each as the product and as the baseline take it. */

import { parseQuery } from "../../src/query/parser.ts";
import type { TimeRange } from "../../src/query/ast.ts";
import type { SearchRequest } from "../../src/search/request.ts";
import { CORPUS_END } from "./corpus.ts";

export interface BenchQuery {
  /** Part of a figure's key. */
  readonly key: string;
  readonly text: string;
  readonly useCase: "messages" | "sessions" | "projects" | "edits";
  readonly date: TimeRange | null;
  /** Words that must be, of which any must be, that must not be: how the baseline is asked. */
  readonly baseline: {
    readonly all: readonly string[];
    readonly any: readonly string[];
    readonly none: readonly string[];
  };
  /** A common word alone, which the baseline answers by listing every session first. */
  readonly isCommonWord: boolean;
}

const DAY_MS = 86_400_000;
const HALF_A_YEAR_AGO = { from: CORPUS_END - 200 * DAY_MS, to: CORPUS_END - 170 * DAY_MS };

function query(
  key: string,
  text: string,
  baseline: Partial<BenchQuery["baseline"]>,
  more: Partial<Pick<BenchQuery, "useCase" | "date" | "isCommonWord">> = {},
): BenchQuery {
  const asked = { all: [], any: [], none: [], ...baseline };
  return { key, text, useCase: "messages", date: null, isCommonWord: false, ...more, baseline: asked };
}

/** @param file a path that the corpus edits, relative to its project */
export function benchQueries(file: string): readonly BenchQuery[] {
  return [
    query("rare", "zanzibar", { all: ["zanzibar"] }),
    query("uncommon", "quokka", { all: ["quokka"] }),
    query("absent", "zanzibarian", { all: ["zanzibarian"] }),
    query("common", "function", { all: ["function"] }, { isCommonWord: true }),
    query("common-error", "error", { all: ["error"] }, { isCommonWord: true }),
    query("phrase", '"blue heron migration"', { all: ["blue heron migration"] }),
    query("common-phrase", '"edit applied"', { all: ["edit applied"] }),
    query("phrase-of-common-words", '"return error function"', { all: ["return error function"] }),
    query("one-rare", "function quokka error", { all: ["function", "quokka", "error"] }),
    query("several-common", "function return error", { all: ["function", "return", "error"] }, { isCommonWord: true }),
    query("two-never-together", "zanzibar quokka function", { all: ["zanzibar", "quokka", "function"] }),
    query("short", "io", { all: ["io"] }),
    query("letter", "x", { all: ["x"] }),
    query("short-rare", "kk", { all: ["kk"] }),
    query("short-absent", "q9", { all: ["q9"] }),
    query("cjk", "部署", { all: ["部署"] }),
    query("cjk-character", "库", { all: ["库"] }),
    query("or", "zanzibar OR quokka", { any: ["zanzibar", "quokka"] }),
    query("or-common", "function OR quokka", { any: ["function", "quokka"] }),
    query("excluded-rare", "function -quokka", { all: ["function"], none: ["quokka"] }),
    query("excluded-common", "quokka -function", { all: ["quokka"], none: ["function"] }),
    query("only-excluded", "-function", { none: ["function"] }, { useCase: "sessions" }),
    query("path", `path:${file}`, {}, { useCase: "sessions" }),
    query("path-and-word", `error path:${file}`, {}),
    query("edits", `path:${file}`, {}, { useCase: "edits" }),
    query("edits-by-word", "quokka", {}, { useCase: "edits" }),
    query("date", "function", { all: ["function"] }, { date: HALF_A_YEAR_AGO }),
    query("date-rare", "quokka", { all: ["quokka"] }, { date: HALF_A_YEAR_AGO }),
    query("project-counts", "function", { all: ["function"] }, { useCase: "projects" }),
    query(
      "project-counts-several",
      "function error -quokka",
      { all: ["function", "error"], none: ["quokka"] },
      { useCase: "projects" },
    ),
    query("recent", "", {}, { useCase: "sessions" }),
  ];
}

export const BENCH_LIMIT = 50;

export function benchRequest({ text, date }: BenchQuery): SearchRequest {
  const parsed = parseQuery(text);

  return {
    query: { ...parsed, project: { kind: "all" } },
    role: null,
    date,
    limit: BENCH_LIMIT,
    asker: { sessionId: null, projectId: null, directory: "/work/project-0", turnStartedAt: null },
    signal: new AbortController().signal,
  };
}
