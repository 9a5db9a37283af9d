import type { Manifest } from '../list-published.ts';

/** What npm takes along whatever `files` says. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

/** Notes of who made the package, and code that no consumer runs. */
const NEVER =
  /\.test\.|\.spec\.|\.test-d\.|\.tsbuildinfo$|(?:^|\/)(?:test|node_modules|\.[^/]+)(?:\/|$)/;

/**
 * The problems of a tarball's files, one sentence each: missing, superfluous, or named in the manifest but missing.
 *
 * @param manifest as it is in the tarball
 * @param files paths from the root of the package
 * @param exempt files that look like tests and are meant to ship, such as those of a template
 */
export function findFileProblems(
  manifest: Manifest,
  files: readonly string[],
  exempt: RegExp = /^$/,
): string[] {
  const there = new Set(files);
  const folders = [manifest.files].flat().map((folder) => `${folder}/`);
  const isExpected = (path: string) =>
    ALWAYS.includes(path) || folders.some((folder) => path.startsWith(folder));
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
      .map((path) => `The manifest names ./${path}, which is not in the tarball.`),
  ];
}

/** The relative paths in `bin`, `exports` and `imports`, at any depth. */
function listPaths(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('./') ? [value.slice(2)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listPaths);
}
