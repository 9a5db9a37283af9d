import type { Manifest } from '../list-published.ts';

/** Fields that the page of a package shows, or that tools go by. */
const FIELDS = ['description', 'keywords', 'license', 'engines', 'files', 'exports', 'type'];

/**
 * Fields that name the place of this repository. It has no public place yet: they are written before the
 * first release (CONTRIBUTING, Releases), all three in all packages or none anywhere.
 */
const PLACE = ['repository', 'homepage', 'bugs'];

/**
 * What is wrong with the manifest of a tarball, a sentence each.
 *
 * @param manifest as it is in the tarball
 * @param published names of the packages of this repository that are published
 */
export function findManifestProblems(manifest: Manifest, published: readonly string[]): string[] {
  const runtime = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
  // Scripts and development dependencies do not affect users.
  const { scripts, devDependencies, ...rest } = manifest;
  const text = JSON.stringify(rest);
  return [
    ...FIELDS.filter((field) => isEmpty(manifest[field])).map((field) => `"${field}" is missing.`),
    ...findPlaceProblems(manifest),
    ...(manifest.license === 'Apache-2.0' ? [] : ['"license" is not that of LICENSE, Apache-2.0.']),
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

/** Whether a manifest names its repository, as npm requires for provenance. */
export function namesItsPlace(manifest: Manifest): boolean {
  return findPlaceProblems(manifest).length === 0 && !isEmpty(manifest.repository);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' ? Object.keys(value).length === 0 : value === '';
}
