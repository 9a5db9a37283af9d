import type { Manifest } from '../list-published.ts';

/** Fields that are shown on a package's page, or that tools rely on. */
const FIELDS = ['description', 'keywords', 'license', 'engines', 'files', 'exports', 'type'];

/**
 * Fields with the URL of this repository. It has no public URL yet: they are added before the first release
 * (CONTRIBUTING, Releases), either all three in all packages, or none.
 */
const PLACE = ['repository', 'homepage', 'bugs'];

/** Files that npm includes whatever `files` says. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];

/** Which the first release writes. */
const CHANGELOG = 'CHANGELOG.md';

/** Notes by the authors of the package, and code that no user runs. */
const NEVER =
  /\.test\.|\.spec\.|\.test-d\.|\.tsbuildinfo$|(?:^|\/)(?:test|node_modules|\.[^/]+)(?:\/|$)/;

/**
 * Returns the problems with a tarball, one sentence each: fields of its manifest, files that are missing or
 * superfluous, and files that the manifest refers to but the tarball does not contain.
 *
 * @param manifest as in the tarball
 * @param files paths relative to the root of the package
 * @param published names of this repository's packages that are published
 */
export function findProblems(
  manifest: Manifest,
  files: readonly string[],
  published: readonly string[],
): string[] {
  return [...findManifestProblems(manifest, published), ...findFileProblems(manifest, files)];
}

function findManifestProblems(manifest: Manifest, published: readonly string[]): string[] {
  const runtime = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
  // Scripts and development dependencies do not affect users.
  const { scripts, devDependencies, ...rest } = manifest;
  const text = JSON.stringify(rest);
  return [
    ...FIELDS.filter((field) => isEmpty(manifest[field])).map((field) => `"${field}" is missing.`),
    ...findPlaceProblems(manifest),
    ...([manifest.files].flat().includes('CHANGELOG.md')
      ? []
      : ['"files" lacks CHANGELOG.md, which npm does not add.']),
    ...(manifest.license === 'Apache-2.0' ? [] : ['"license" does not match LICENSE, Apache-2.0.']),
    ...(/^>=\d+(\.\d+)?$/.test(manifest.engines?.node ?? '')
      ? []
      : ['"engines.node" is not a minimum version such as ">=22.12".']),
    ...['berth-source', 'workspace:', 'catalog:']
      .filter((word) => text.includes(word))
      .map((word) => `"${word}" is only valid in this repository.`),
    ...runtime
      .filter(([name]) => name.startsWith('@berth/') && !published.includes(name))
      .map(([name]) => `The package depends on ${name}, which is private.`),
  ];
}

function findPlaceProblems(manifest: Manifest): string[] {
  const missing = PLACE.filter((field) => isEmpty(manifest[field]));
  return missing.length === PLACE.length
    ? []
    : missing.map((field) => `"${field}" is missing: set all or none of ${PLACE.join(', ')}.`);
}

/** Returns whether a manifest names its repository and folder, as npm requires for provenance. */
export function namesItsPlace(manifest: Manifest): boolean {
  return findPlaceProblems(manifest).length === 0 && !isEmpty(manifest.repository);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' ? Object.keys(value).length === 0 : value === '';
}

function findFileProblems(manifest: Manifest, files: readonly string[]): string[] {
  const there = new Set(files);
  const listed = [manifest.files].flat().filter((path) => path !== CHANGELOG);
  const folders = listed.map((folder) => `${folder}/`);
  const isExpected = (path: string) =>
    [...ALWAYS, CHANGELOG].includes(path) || folders.some((folder) => path.startsWith(folder));
  const named = [...new Set(listPaths([manifest.bin, manifest.exports, manifest.imports]))];
  return [
    ...ALWAYS.filter((path) => !there.has(path)).map((path) => `${path} is missing.`),
    ...files.filter((path) => !isExpected(path)).map((path) => `${path} is not among "files".`),
    ...files.filter((path) => NEVER.test(path)).map((path) => `${path} must not be published.`),
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
