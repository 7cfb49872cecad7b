/** Version: which OpenCode 2.x services this product reads. */

interface Version {
  readonly numbers: readonly [number, number, number];
  /** Identifiers after the hyphen; empty for a release. */
  readonly prerelease: readonly string[];
}

const FIRST: Version = { numbers: [2, 0, 16], prerelease: [] };
const FIRST_UNREAD_MAJOR = 3;

/** The supported range, for messages. */
export const SUPPORTED_VERSIONS = ">=2.0.16 <3";

/** Whether a version lies in the supported range. Prereleases count by their order; those of 3.0.0 do not belong. */
export function isSupportedVersion(text: string): boolean {
  const version = parseVersion(text);
  return version !== null && version.numbers[0] < FIRST_UNREAD_MAJOR && compareVersions(version, FIRST) >= 0;
}

const PATTERN = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/u;

function parseVersion(text: string): Version | null {
  const [, major, minor, patch, prerelease] = PATTERN.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return null;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    prerelease: prerelease === undefined ? [] : prerelease.split("."),
  };
}

/** Order of semantic versioning 2.0.0, section 11. */
function compareVersions(left: Version, right: Version): number {
  for (const place of [0, 1, 2] as const) {
    if (left.numbers[place] !== right.numbers[place]) return left.numbers[place] - right.numbers[place];
  }
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return right.prerelease.length - left.prerelease.length;
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

function comparePrereleases(left: readonly string[], right: readonly string[]): number {
  for (const [place, ours] of left.entries()) {
    const theirs = right[place];
    if (theirs === undefined) return 1;
    if (ours !== theirs) return compareIdentifiers(ours, theirs);
  }
  return left.length - right.length;
}

function compareIdentifiers(left: string, right: string): number {
  const [leftIsNumber, rightIsNumber] = [/^\d+$/u.test(left), /^\d+$/u.test(right)];
  if (leftIsNumber && rightIsNumber) return Number(left) - Number(right);
  if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1;
  return left < right ? -1 : 1;
}
