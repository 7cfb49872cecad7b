import { describe, expect, it } from "vitest";

import { parseConfig } from "../src/config.ts";

const defaults = {
  archive: { directory: null, gitignore: true, attachments: "reference" },
  redact: true,
  command: true,
  toasts: true,
  otherProjects: true,
  indexDirectory: null,
};

describe("plugin options", () => {
  it.each([[undefined], [null], [{}], [{ archive: true }], [{ archive: {} }]])("%j means every default", (given) => {
    expect(parseConfig(given)).toEqual({ config: defaults, problems: [] });
  });

  it.each([
    [{ archive: false }, { archive: null }],
    [
      { archive: { directory: "notes", gitignore: false, attachments: "inline" } },
      { archive: { directory: "notes", gitignore: false, attachments: "inline" } },
    ],
    [
      { redact: false, command: false, toasts: false },
      { redact: false, command: false, toasts: false },
    ],
    [{ otherProjects: false }, { otherProjects: false }],
    [{ indexDirectory: "/data" }, { indexDirectory: "/data" }],
  ])("%j is taken", (given, changed) => {
    expect(parseConfig(given)).toEqual({ config: { ...defaults, ...changed }, problems: [] });
  });

  it.each([
    ["yes", '"yes", but they must be an object'],
    [["archive"], '["archive"], but they must be an object'],
    [{ redact: "no" }, 'Option "redact" is "no", but it takes true or false'],
    [{ archive: 1 }, 'Option "archive" is 1, but it takes true, false or an object'],
    [
      { archive: { attachments: "all" } },
      'Option "archive.attachments" is "all", but it takes "reference" or "inline"',
    ],
    [{ archive: { folder: "x" } }, 'Option "archive.folder" is not known and was ignored'],
    [{ Redact: true }, 'Option "Redact" is not known and was ignored; the options here are: archive, redact'],
    [{ constructor: 1 }, 'Option "constructor" is not known'],
  ])("%j is reported by name and the default is used", (given, problem) => {
    const parsed = parseConfig(given);
    expect(parsed.problems.join("\n")).toContain(problem);
    expect(parsed.config).toEqual(defaults);
  });
});
