import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import getReleasePlan from '@changesets/get-release-plan';
import { DOCUMENTS } from './generate/bundle.ts';
import { redocly } from './redocly.ts';

/** How far a version rises, from not at all upwards. */
const BUMPS = ['none', 'patch', 'minor', 'major'] as const;

type Bump = (typeof BUMPS)[number];

/** Whether a rise is at least as far as another. */
function isAtLeast(bump: Bump, other: Bump): boolean {
  return BUMPS.indexOf(bump) >= BUMPS.indexOf(other);
}

type Release = { name: string; type: string };

const SPEC = '@berth/spec';

/**
 * What is wrong with a release plan, a sentence each. A package that is made from the contract holds a copy
 * of it or the types of it: a release of the contract without that package would leave the old one in use.
 * Their versions then rise as one, for they are linked.
 *
 * @param releases what the pending changesets come to, dependents included
 * @param linked names of the packages whose versions are linked, from the settings of changesets
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
        `${name} is made from the contract and would not be released with it. Name it in the changeset of ${SPEC}; patch is enough.`,
    );
}

const ROOT = join(import.meta.dirname, '../..');

const { changesets, releases } = await getReleasePlan(ROOT);

const { linked } = JSON.parse(await readFile(join(ROOT, '.changeset/config.json'), 'utf8'));

const problems = [
  ...(await findVersionProblems('released', 'generated', findPendingBump(changesets))),
  ...findReleaseProblems(releases, linked.flat()),
];

for (const problem of problems) process.stdout.write(`${problem}\n`);

process.exitCode = problems.length > 0 ? 1 : 0;

type Changeset = { releases: readonly { name: string; type: Bump }[] };

/**
 * The bump of `@berth/spec` that its own pending changesets ask for. The release plan is no measure: it
 * lifts linked packages to the highest bump among them, so a changeset of another one would count.
 */
export function findPendingBump(changesets: readonly Changeset[]): Bump {
  return changesets
    .flatMap(({ releases }) => releases)
    .filter(({ name }) => name === '@berth/spec')
    .reduce<Bump>((highest, { type }) => (isAtLeast(type, highest) ? type : highest), 'none');
}

/** `bump` is absent where nothing has changed but, maybe, `info.version`. */
type Diff = { bump?: Bump; infoVersions: { base: string; revision: string } };

/**
 * What is wrong with the versions of the contract, a sentence each with what to do; nothing where
 * all is well. A document that was never released is new as a whole: it needs a minor changeset.
 *
 * @param released folder with the documents as they were last released, `<name>.json`
 * @param generated folder with the documents as they are now, `<name>.gen.json`
 * @param pending the bump of `@berth/spec` that the pending changesets ask for
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
  if (!run.stdout.startsWith('{')) throw new Error(`${name} cannot be compared:\n${run.stderr}`);
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
      ? 'A breaking change needs a new path prefix beside the old one; see docs/decisions/.'
      : `Raise info.version in spec/${name}/openapi.yaml.`;
  return `${name}: the changes since ${base} ask for a ${bump} version. ${advice}`;
}

function findChangesetProblems(name: string, bump: Bump, pending: Bump): string[] {
  if (isAtLeast(pending, bump)) return [];
  return [
    `${name}: its changes need a ${bump} changeset of @berth/spec, and the pending ones amount to ${pending}. Run "npx changeset".`,
  ];
}
