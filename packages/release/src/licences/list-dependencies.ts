import { execFileSync } from 'node:child_process';
import satisfies from 'spdx-satisfies';
import { listPublished, ROOT } from '../list-published.ts';

/**
 * SPDX ids of the licences that dependencies of a published package may have: those that ask for no more
 * than a notice.
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

/** What the files of a version say, where its manifest has no SPDX id: somebody has read them. */
export const READ_IN_FILES: Readonly<Record<string, (typeof ALLOWED)[number]>> = {
  'cycle@1.0.3': 'LicenseRef-Public-Domain', // "Public Domain." in cycle.js
  'html@1.0.0': 'MIT', // LICENSE; its manifest says "BSD"
  'optimist@0.6.1': 'MIT', // LICENSE; its manifest says "MIT/X11"
  'tv4@1.3.0': 'MIT', // "Public Domain OR MIT", and the first is no SPDX id
};

/** All that somebody gets who installs the published packages, at any depth, as it is installed here. */
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
  /** What its manifest says: an SPDX expression, or something that should be one. */
  license: string;
}

/**
 * The dependencies whose licence is none that a published package may bring along, and the entries of
 * `READ_IN_FILES` that no dependency needs, a sentence each.
 */
export function findLicenceProblems(dependencies: readonly Dependency[]): string[] {
  const ids = dependencies.map(toId);
  return [
    ...dependencies
      .filter((dependency) => !isAllowed(READ_IN_FILES[toId(dependency)] ?? dependency.license))
      .map((one) => `${toId(one)} has the licence "${one.license}", which is not allowed.`),
    ...Object.keys(READ_IN_FILES)
      .filter((id) => !ids.includes(id))
      .map((id) => `${id} has an entry in READ_IN_FILES, and nothing depends on it.`),
  ];
}

function toId({ name, version }: Dependency): string {
  return `${name}@${version}`;
}

function isAllowed(expression: string): boolean {
  try {
    return satisfies(expression, [...ALLOWED]);
  } catch {
    return false; // no SPDX expression
  }
}
