/**
 * Stand-in: what is written where a secret would go: a placeholder of documentation, a reference to a variable, or the
 * mask of a secret. It gives nothing away.
 */

/** Names that documentation puts where a password goes. */
const PLACEHOLDER = /^(?:pass(?:word|wd)?|pwd|secret|token|xxx+|\*+|\.\.\.|your.*|my.?pass.*|example|changeme)$/iu;
const TEMPLATE = /\$\{|\{\{|\$[A-Z_(]|%[A-Z_]+%|^[{$<%[]|\[redacted:/u;

/** For places that hold nothing but a password: everything else there is one. */
export function isStandIn(value: string): boolean {
  return PLACEHOLDER.test(value) || TEMPLATE.test(value);
}
