import { type Bump, isAtLeast } from './bump.ts';

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
