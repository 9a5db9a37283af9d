import type { Manifest } from '../list-published.ts';

/** Files that npm includes whatever `files` says. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

/** Which the first release writes. */
const CHANGELOG = 'CHANGELOG.md';

/** Notes by the authors of the package, and code that no user runs. */
const NEVER =
  /\.test\.|\.spec\.|\.test-d\.|\.tsbuildinfo$|(?:^|\/)(?:test|node_modules|\.[^/]+)(?:\/|$)/;

/**
 * Returns the problems with a tarball's files, one sentence each: files that are missing or superfluous, and
 * files that the manifest refers to but the tarball does not contain.
 *
 * @param manifest as in the tarball
 * @param files paths relative to the root of the package
 * @param exempt files that look like tests but are meant to ship, such as those of a template
 */
export function findFileProblems(
  manifest: Manifest,
  files: readonly string[],
  exempt: RegExp = /^$/,
): string[] {
  const there = new Set(files);
  const listed = [manifest.files].flat().filter((path) => path !== CHANGELOG);
  const folders = listed.map((folder) => `${folder}/`);
  const isExpected = (path: string) =>
    [...ALWAYS, CHANGELOG].includes(path) || folders.some((folder) => path.startsWith(folder));
  const named = [...new Set(listPaths([manifest.bin, manifest.exports, manifest.imports]))];
  return [
    ...ALWAYS.filter((path) => !there.has(path)).map((path) => `${path} is missing.`),
    ...files.filter((path) => !isExpected(path)).map((path) => `${path} is not among "files".`),
    ...files
      .filter((path) => NEVER.test(path) && !exempt.test(path))
      .map((path) => `${path} must not be published.`),
    ...folders
      .filter((folder) => !files.some((path) => path.startsWith(folder)))
      .map((folder) => `"files" names ${folder}, which is empty.`),
    ...named
      .filter((path) => !there.has(path))
      .map((path) => `The manifest refers to ./${path}, which is not in the tarball.`),
  ];
}

/** Lists the relative paths in `bin`, `exports` and `imports`, at any depth. */
function listPaths(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('./') ? [value.slice(2)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listPaths);
}
