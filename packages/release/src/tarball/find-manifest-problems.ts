import type { Manifest } from '../list-published.ts';

/** Fields that are shown on a package's page, or that tools rely on. */
const FIELDS = ['description', 'keywords', 'license', 'engines', 'files', 'exports', 'type'];

/**
 * Fields with the URL of this repository. It has no public URL yet: they are added before the first release
 * (CONTRIBUTING, Releases), either all three in all packages, or none.
 */
const PLACE = ['repository', 'homepage', 'bugs'];

/**
 * Returns the problems with the manifest in a tarball, one sentence each.
 *
 * @param manifest as in the tarball
 * @param published names of this repository's packages that are published
 */
export function findManifestProblems(manifest: Manifest, published: readonly string[]): string[] {
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
