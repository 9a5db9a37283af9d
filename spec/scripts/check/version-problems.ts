import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTS } from '../generate/bundle.ts';
import { redocly } from '../redocly.ts';
import { type Bump, isAtLeast } from './bump.ts';

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
