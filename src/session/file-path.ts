/**
 * File path: the form in which paths are stored and compared, whatever system wrote them. Pure text: no file system
 * is asked, so links are not resolved.
 */

const EXTENDED_UNC = /^\/\/\?\/UNC\//iu;
const EXTENDED = /^\/\/\?\//u;
/** The fixed beginning of an absolute path: a drive, a UNC server mark, or the root. */
const ROOT = /^(?:[A-Za-z]:(?:\/|$)|\/\/(?=[^/])|\/)/u;
const TRAILING_SLASHES = /[\\/]+$/u;

/**
 * Normalises a path: slashes forward, no `.` or empty segments, `..` resolved, no trailing slash, drive letter upper
 * case, `\\?\` dropped, UNC paths begin with two slashes. Relative paths stay relative.
 */
export function normalisePath(path: string): string {
  const slashed = path.replaceAll("\\", "/").replace(EXTENDED_UNC, "//").replace(EXTENDED, "");
  const rootText = ROOT.exec(slashed)?.[0] ?? "";
  const segments: string[] = [];
  for (const segment of slashed.slice(rootText.length).split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.length > 0 && segments.at(-1) !== "..") segments.pop();
    else if (rootText === "") segments.push(segment);
  }
  return canonicalRoot(rootText, segments) + segments.join("/");
}

function canonicalRoot(root: string, segments: readonly string[]): string {
  if (root.includes(":")) return `${root.charAt(0).toUpperCase()}:/`;
  return root === "//" && segments.length === 0 ? "/" : root;
}

/** Whether a path names its place in full: from the root, a drive or a server. */
export function isAbsolutePath(path: string): boolean {
  return ROOT.test(path.replaceAll("\\", "/"));
}

/** The normalised absolute form of a path, read from `directory` when it is relative. */
export function resolvePath(directory: string, path: string): string {
  // A root keeps no slash of its own here: "/" and "src" must not meet as "//src", a server's name.
  return normalisePath(isAbsolutePath(path) ? path : `${directory.replace(TRAILING_SLASHES, "")}/${path}`);
}

/**
 * Whether a stored path is the one asked for. An absolute question wants the same path; a relative one matches from
 * the right at a slash (`auth.ts` matches `/w/src/auth.ts`, not `/w/src/oauth.ts`). Case counts, but for a drive letter.
 */
export function matchesPath(stored: string, asked: string): boolean {
  const wanted = comparable(asked);
  if (wanted === "") return false;
  const held = comparable(stored);
  return held === wanted || (!isAbsolutePath(wanted) && held.endsWith(`/${wanted}`));
}

/** File systems differ in how they compose accents; a name typed on one must match a name stored from another. */
function comparable(path: string): string {
  return normalisePath(path).normalize("NFC");
}

/** The last segment of a path in lower case: the key by which an index finds paths before comparing them whole. */
export function fileName(path: string): string {
  const normalised = comparable(path);
  return normalised.slice(normalised.lastIndexOf("/") + 1).toLowerCase();
}
