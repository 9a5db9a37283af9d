import { execFileSync } from 'node:child_process';
import { listPublished, ROOT } from '../list-published.ts';
import type { Dependency } from './find-licence-problems.ts';

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
