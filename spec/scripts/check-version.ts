import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import getReleasePlan from '@changesets/get-release-plan';
import { DOCUMENTS } from './generate/bundle.ts';
import { redocly } from './redocly.ts';

/** Version bumps, smallest first. */
const BUMPS = ['none', 'patch', 'minor', 'major'] as const;

type Bump = (typeof BUMPS)[number];

/** Returns whether a bump is at least as large as another. */
function isAtLeast(bump: Bump, other: Bump): boolean {
  return BUMPS.indexOf(bump) >= BUMPS.indexOf(other);
}

type Release = { name: string; type: string };

const SPEC = '@berth/spec';

/**
 * Returns the problems with a release plan, as sentences. Packages that are generated from the contract
 * contain a copy of it or its types, so every release of the contract must include them.
 *
 * @param releases release plan for the pending changesets, including dependents
 * @param linked names of the packages with linked versions in the Changesets configuration
 */
export function findReleaseProblems(
  releases: readonly Release[],
  linked: readonly string[],
): string[] {
  const released = releases.filter(({ type }) => type !== 'none').map(({ name }) => name);
  if (!released.includes(SPEC)) return [];
  return linked
    .filter((name) => !released.includes(name))
    .map(
      (name) =>
        `${name} is generated from the contract but would not be released with it. Add it to the changeset for ${SPEC}; a patch is enough.`,
    );
}

type Changeset = { releases: readonly { name: string; type: Bump }[] };

/**
 * Returns the bump of `@berth/spec` in its own pending changesets. The release plan raises linked
 * packages to their highest bump, so it would count changesets for other packages.
 */
export function findPendingBump(changesets: readonly Changeset[]): Bump {
  return changesets
    .flatMap(({ releases }) => releases)
    .filter(({ name }) => name === '@berth/spec')
    .reduce<Bump>((highest, { type }) => (isAtLeast(type, highest) ? type : highest), 'none');
}

/** `bump` is absent if nothing has changed, or only `info.version`. */
type Diff = { bump?: Bump; infoVersions: { base: string; revision: string } };

/**
 * Returns the problems with the contract's versions, as sentences that include the fix. A document that
 * was never released needs a minor changeset.
 *
 * @param released folder with the most recently released documents, `<name>.json`
 * @param generated folder with the current documents, `<name>.gen.json`
 * @param pending bump of `@berth/spec` in the pending changesets
 */
export async function findVersionProblems(
  released: string,
  generated: string,
  pending: Bump,
): Promise<string[]> {
  const problems = await Promise.all(
    DOCUMENTS.map(async (name) => {
      const base = join(released, `${name}.json`);
      if (!existsSync(base)) return findChangesetProblems(name, 'minor', pending);
      return findDocumentProblems(name, base, join(generated, `${name}.gen.json`), pending);
    }),
  );
  return problems.flat();
}

async function findDocumentProblems(name: string, base: string, now: string, pending: Bump) {
  const options = ['--format', 'json', '--check-version', '--fail-on', 'none'];
  const run = await redocly('diff', base, now, ...options);
  if (!run.stdout.startsWith('{')) throw new Error(`Cannot compare ${name}:\n${run.stderr}`);
  const { bump, infoVersions }: Diff = JSON.parse(run.stdout);
  const { base: before, revision } = infoVersions;
  const wanted = bump ?? (before === revision ? 'none' : 'patch');
  return [
    ...(run.exitCode === 0 ? [] : [toVersionProblem(name, wanted, before)]),
    ...findChangesetProblems(name, wanted, pending),
  ];
}

function toVersionProblem(name: string, bump: Bump, base: string): string {
  const advice =
    bump === 'major'
      ? 'A breaking change needs a new path prefix in addition to the old one, see docs/decisions/.'
      : `Raise info.version in spec/${name}.yaml.`;
  return `${name}: the changes since ${base} require a ${bump} version. ${advice}`;
}

function findChangesetProblems(name: string, bump: Bump, pending: Bump): string[] {
  if (isAtLeast(pending, bump)) return [];
  return [
    `${name}: the changes require a ${bump} changeset for @berth/spec, but the pending bump is ${pending}. Run "npx changeset".`,
  ];
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const { changesets, releases } = await getReleasePlan(root);
  const { linked } = JSON.parse(await readFile(join(root, '.changeset/config.json'), 'utf8'));
  const problems = [
    ...(await findVersionProblems('released', 'generated', findPendingBump(changesets))),
    ...findReleaseProblems(releases, linked.flat()),
  ];
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
