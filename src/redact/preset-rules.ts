/**
 * Preset rules: the token formats that secretlint's recommended preset keeps up to date, run without secretlint's core.
 *
 * Core 12.0.0 cannot live in somebody else's process: it answers only asynchronously, observes and keeps every
 * performance mark of the whole process, and leaves marks of its own for each text. Its scanners need none of that: they are
 * synchronous functions of a text that report ranges.
 */

import { rules as presetRules } from "@secretlint/secretlint-rule-preset-recommend";

import type { Finding, Rule } from "./rule.ts";

/**
 * The scanners in use, by the last word of their id, with a literal that each of their patterns must contain. Left out
 * are those that rules.ts covers more widely (aws, basicauth, database-connection-string, privatekey), the one that
 * reads files (gcp), and filter-comments, by which a text could ask not to be masked.
 */
const SCANNERS: readonly { readonly id: string; readonly kind: string; readonly hints: readonly string[] }[] = [
  { id: "1password", kind: "1password-token", hints: ["ops_ey"] },
  { id: "anthropic", kind: "anthropic-key", hints: ["sk-ant-"] },
  { id: "databricks", kind: "databricks-token", hints: ["dapi"] },
  { id: "docker", kind: "docker-token", hints: ["dckr_pat_"] },
  { id: "figma", kind: "figma-token", hints: ["figd_"] },
  { id: "github", kind: "github-token", hints: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"] },
  { id: "gitlab", kind: "gitlab-token", hints: ["glpat-"] },
  { id: "grafana", kind: "grafana-token", hints: ["glc_", "glsa_"] },
  { id: "groq", kind: "groq-key", hints: ["gsk_"] },
  { id: "hashicorp-vault", kind: "vault-token", hints: ["hvs.", "hvb.", "hvr."] },
  { id: "huggingface", kind: "huggingface-token", hints: ["hf_"] },
  { id: "linear", kind: "linear-key", hints: ["lin_api_"] },
  { id: "notion", kind: "notion-token", hints: ["ntn_"] },
  { id: "npm", kind: "npm-token", hints: ["npm_"] },
  { id: "openai", kind: "openai-key", hints: ["T3BlbkFJ"] },
  { id: "sendgrid", kind: "sendgrid-key", hints: ["SG."] },
  { id: "shopify", kind: "shopify-token", hints: ["shppa_", "shpca_", "shpat_", "shpss_"] },
  { id: "slack", kind: "slack-token", hints: ["xox", "xapp-", "hooks.slack.com"] },
  { id: "vercel", kind: "vercel-token", hints: ["vcp_", "vci_", "vca_", "vcr_", "vck_"] },
];

/**
 * The part of secretlint's scanner that is needed here. As methods, so that the preset's own types, which ask for a
 * whole linter's context, still fit.
 */
interface Scanner {
  readonly meta: { readonly id: string };
  create(context: ScannerContext, options: object): ScannerHandlers;
}

interface ScannerContext {
  readonly sharedOptions: object;
  createTranslator(messages: object): (messageId: string) => { message: string; messageId: string };
  report(report: { readonly range: readonly [number, number] }): void;
  ignore(report: object): void;
}

interface ScannerHandlers {
  file?(source: { readonly content: string }): void | Promise<void>;
}

const scanners: readonly Scanner[] = presetRules;

/** The scanners of the preset as rules. Each call makes its own, which share nothing. */
export function createPresetRules(): Rule[] {
  return SCANNERS.map(({ id, kind, hints }) => {
    const scanner = scanners.find((candidate) => candidate.meta.id === `@secretlint/secretlint-rule-${id}`);
    if (scanner === undefined) throw new Error(`secretlint's preset has no scanner "${id}"`);
    let findings: Finding[] = [];
    const context: ScannerContext = {
      sharedOptions: {},
      createTranslator: () => (messageId) => ({ message: "", messageId }),
      report: ({ range: [start, end] }) => void findings.push({ kind, start, end }),
      ignore: () => undefined,
    };
    const handlers = scanner.create(context, {});
    return {
      kind,
      hints,
      find(text) {
        findings = [];
        // Every scanner in the table above reports before it returns.
        void handlers.file?.({ content: text });
        return findings;
      },
    };
  });
}
