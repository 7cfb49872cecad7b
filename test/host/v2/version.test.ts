import { describe, expect, it } from "vitest";

import { isSupportedVersion } from "../../../src/host/v2/version.ts";

describe("the supported versions of a service", () => {
  it.each([
    ["2.0.16", true],
    ["2.0.26", true],
    ["v2.0.16", true],
    ["2.1.0-beta.1", true],
    ["2.0.17-next.3+build.5", true],
    ["2.999.0", true],
    ["2.0.15", false],
    ["2.0.16-beta.9", false],
    ["2.0.16-rc", false],
    ["1.18.34", false],
    ["3.0.0", false],
    ["3.0.0-beta.1", false],
    ["2.0", false],
    ["local", false],
    ["", false],
    ["2.0.16 ", false],
  ])("%s: %s", (version, supported) => {
    expect(isSupportedVersion(version)).toBe(supported);
  });
});
