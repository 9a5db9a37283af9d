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
