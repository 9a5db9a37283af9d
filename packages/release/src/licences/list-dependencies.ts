import { execFileSync } from 'node:child_process';
import satisfies from 'spdx-satisfies';
import { listPublished, ROOT } from '../list-published.ts';

/**
 * SPDX IDs of the licences allowed for dependencies of a published package: those that require no more than a
 * notice.
 */
const ALLOWED =
  '0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT Python-2.0 Unlicense WTFPL'.split(' ');

/** Lists everything that is installed along with the published packages, at any depth. */
export function listDependencies(): Dependency[] {
  const filters = listPublished().flatMap(({ manifest }) => ['--filter', manifest.name]);
  const output = execFileSync('pnpm', ['licenses', 'list', '--json', '--prod', ...filters], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const byLicence: Record<string, { name: string; versions: string[]; license: string }[]> =
    JSON.parse(output);
  return Object.values(byLicence)
    .flat()
    .flatMap(({ name, versions, license }) =>
      versions.map((version) => ({ name, version, license })),
    );
}

interface Dependency {
  name: string;
  version: string;
  /** The licence in its manifest: an SPDX expression, or something that should be one. */
  license: string;
}

/** Returns a sentence for each dependency whose licence is not allowed in a published package. */
export function findLicenceProblems(dependencies: readonly Dependency[]): string[] {
  return dependencies
    .filter(({ license }) => !isAllowed(license))
    .map(
      ({ name, version, license }) =>
        `${name}@${version} has the licence "${license}", which is not allowed.`,
    );
}

function isAllowed(expression: string): boolean {
  try {
    return satisfies(expression, ALLOWED);
  } catch {
    return false; // not an SPDX expression
  }
}
