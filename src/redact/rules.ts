/**
 * Rules: every kind of secret that is masked, the kept preset's formats and those it does not know or knows too
 * narrowly. The source of each format stands beside it.
 */

import { createAssignmentRule } from "./assignment-rule.ts";
import { createCommandRules } from "./command-rules.ts";
import { createPresetRules } from "./preset-rules.ts";
import { entropy, type Finding, type Rule, type TokenFormat, tokenRule } from "./rule.ts";
import { isStandIn } from "./stand-in.ts";

/** A run of letters and digits alone is a key only when it looks drawn by lot. */
const looksRandom = (token: string): boolean => /\d/u.test(token) && /[a-z]/iu.test(token) && entropy(token) >= 3;

const TOKEN_FORMATS: readonly TokenFormat[] = [
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
  {
    kind: "aws-key",
    prefixes: ["AKIA", "ASIA"],
    body: /[A-Z0-9]{16}(?![\w/+=])/uy,
    accept: (token) => !token.endsWith("EXAMPLE"),
  },
  // https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/ (up to 255 long)
  { kind: "github-token", prefixes: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], body: /[A-Za-z0-9]{36,251}(?!\w)/uy },
  // https://docs.gitlab.com/security/tokens/#token-prefixes
  {
    kind: "gitlab-token",
    prefixes: ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "gloas-", "glagent-", "glsoat-"],
    body: /[\w-]{20,}(?:\.[\w-]+){0,2}/uy,
  },
  // https://docs.stripe.com/keys#obtain-api-keys (publishable keys, pk_, are public) and /webhooks#verify-official-libraries
  {
    kind: "stripe-key",
    prefixes: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
    body: /[A-Za-z0-9]{16,250}(?!\w)/uy,
    accept: looksRandom,
  },
  // https://cloud.google.com/docs/authentication/api-keys: 39 characters in all
  { kind: "google-key", prefixes: ["AIza"], body: /[\w-]{35}(?![\w\-/+=])/uy },
  // https://developers.google.com/identity/protocols/oauth2 (client secret, access token)
  { kind: "google-token", prefixes: ["GOCSPX-"], body: /[\w-]{28}(?![\w-])/uy },
  { kind: "google-token", prefixes: ["ya29."], body: /[\w-]{30,}/uy },
  // https://openrouter.ai/docs/api/reference/authentication
  { kind: "openrouter-key", prefixes: ["sk-or-v1-"], body: /[0-9a-f]{64}(?!\w)/uy },
  // https://platform.claude.com/docs/en/api/overview#authentication
  { kind: "anthropic-key", prefixes: ["sk-ant-"], body: /[a-z]{3,8}\d\d-[\w-]{24,}/uy },
  // https://platform.openai.com/docs/api-reference/authentication: project, service-account and admin keys
  {
    kind: "openai-key",
    prefixes: ["sk-proj-", "sk-svcacct-", "sk-admin-"],
    body: /[\w-]{40,}/uy,
    accept: looksRandom,
  },
  // The older form of OpenAI's keys, which many compatible providers use as well.
  { kind: "api-key", prefixes: ["sk-"], body: /[A-Za-z0-9]{32,64}(?![\w-])/uy, accept: looksRandom },
  // https://docs.npmjs.com/cli/v11/configuring-npm/npmrc#auth-related-configuration
  { kind: "npm-token", prefixes: ["_authToken="], body: /["']?[\w-]{20,}(?:\.[\w-]+)*/uy, accept: looksRandom },
  // https://docs.slack.dev/authentication/tokens (app-level and rotating tokens have longer pieces)
  {
    kind: "slack-token",
    prefixes: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-", "xoxe.xoxp-", "xoxe.xoxb-", "xoxe-"],
    body: /[\w-]{32,400}/uy,
    accept: looksRandom,
  },
  // https://docs.pypi.org/api/secrets/: the base64 of "pypi.org" opens the token's body
  { kind: "pypi-token", prefixes: ["pypi-AgEIcHlwaS5vcmc"], body: /[\w-]{50,}/uy },
  // RFC 7519: two base64url JSON objects ("{\"" is "eyJ") and a signature
  { kind: "jwt", prefixes: ["eyJ"], body: /[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/uy },
];

/** RFC 7468: the longest key in use (RSA 16384) takes under 13,000 characters. A key that was cut has no end line. */
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z]{2,9} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\]|[A-Za-z-]{4,12}: [^\n\\]{1,80}(?:\n|\\n)){40,13000}(?:-----END (?:[A-Z]{2,9} ){0,2}PRIVATE KEY(?: BLOCK)?-----)?/gu;

/** RFC 6750 section 2.1; RFC 7617 section 2. Group 1 is the credential. */
const BEARER = /\bbearer[ \t]+([\w\-.~+/]{20,4000}={0,2})/giu;
const BASIC = /\bauthorization["']?[ \t]*[:=][ \t]*["']?basic[ \t]+([A-Za-z0-9+/]{12,1000}={0,2})/giu;

/** RFC 3986 section 3.2.1, with a password. Anchored at the literal, so that long runs of letters cost nothing. */
const URL_CREDENTIALS = /:\/\/[^\s/:@"'`<>[]{0,100}:([^\s/@"'`<>]{3,200})@(?=[\w[])/gu;

/**
 * https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html, on one line or several. Group 1 is
 * the host, the last one the password.
 */
const NETRC =
  /\b(?:machine\s{1,20}(\S{1,253})|default)(?:\s{1,20}(?:login|account)\s{1,20}\S{1,200}){1,2}\s{1,20}password\s{1,20}"?([^\s"\\]{3,400})/gu;

/** @param accept receives the last group, which is the secret, and the first */
function groupRule(
  kind: string,
  hints: readonly string[],
  pattern: RegExp,
  accept: (value: string, first: string | undefined) => boolean,
): Rule {
  return {
    kind,
    hints,
    find(text) {
      const findings: Finding[] = [];
      for (const match of text.matchAll(pattern)) {
        const value = match.at(-1) ?? "";
        if (!accept(value, match[1])) continue;
        const start = match.index + match[0].lastIndexOf(value);
        findings.push({ kind, start, end: start + value.length });
      }
      return findings;
    },
  };
}

/** Every rule in use. Each call makes its own, which share nothing. */
export function createRules(): Rule[] {
  return [
    ...createPresetRules(),
    ...TOKEN_FORMATS.map((format) => tokenRule({ ...format, body: new RegExp(format.body.source, format.body.flags) })),
    {
      kind: "private-key",
      hints: ["PRIVATE KEY"],
      find: (text) =>
        [...text.matchAll(PRIVATE_KEY)].map(({ index, 0: key }) => ({
          kind: "private-key",
          start: index,
          end: index + key.trimEnd().length,
        })),
    },
    groupRule("bearer-token", ["earer", "EARER"], BEARER, looksRandom),
    groupRule("basic-credentials", ["asic ", "ASIC "], BASIC, (value) => entropy(value) >= 3),
    groupRule("url-password", ["://"], URL_CREDENTIALS, (value) => !isStandIn(value)),
    // Sentences speak of machines and passwords too, but hardly with a host's dot, or a password that is no word.
    groupRule(
      "password",
      ["password"],
      NETRC,
      (value, host) => !isStandIn(value) && (/[^a-z]/u.test(value) || host?.includes(".") === true),
    ),
    ...createCommandRules(),
    createAssignmentRule(),
  ];
}
