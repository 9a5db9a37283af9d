import { execFileSync } from 'node:child_process';
import satisfies from 'spdx-satisfies';
import { listPublished, ROOT } from '../list-published.ts';

/**
 * SPDX IDs of the licences allowed for dependencies of a published package: those that require no more than a
 * notice.
 */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'LicenseRef-Public-Domain',
  'MIT',
  'Python-2.0',
  'Unlicense',
  'WTFPL',
] as const;

/** Licences that a maintainer looked up in the files of a package version whose manifest has no SPDX ID. */
export const READ_IN_FILES: Readonly<Record<string, (typeof ALLOWED)[number]>> = {
  'cycle@1.0.3': 'LicenseRef-Public-Domain', // "Public Domain." in cycle.js
  'html@1.0.0': 'MIT', // LICENSE; its manifest says "BSD"
  'optimist@0.6.1': 'MIT', // LICENSE; its manifest says "MIT/X11"
  'tv4@1.3.0': 'MIT', // "Public Domain OR MIT", whose first part is not an SPDX ID
};

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

/**
 * Returns a sentence for each dependency whose licence is not allowed in a published package, and for each
 * entry in `READ_IN_FILES` that no dependency needs.
 */
export function findLicenceProblems(dependencies: readonly Dependency[]): string[] {
  const ids = dependencies.map(toId);
  return [
    ...dependencies
      .filter((dependency) => !isAllowed(READ_IN_FILES[toId(dependency)] ?? dependency.license))
      .map((one) => `${toId(one)} has the licence "${one.license}", which is not allowed.`),
    ...Object.keys(READ_IN_FILES)
      .filter((id) => !ids.includes(id))
      .map((id) => `${id} has an entry in READ_IN_FILES, but nothing depends on it.`),
  ];
}

function toId({ name, version }: Dependency): string {
  return `${name}@${version}`;
}

function isAllowed(expression: string): boolean {
  try {
    return satisfies(expression, [...ALLOWED]);
  } catch {
    return false; // not an SPDX expression
  }
}
