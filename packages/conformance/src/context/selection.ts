/** The options that choose rules. */
interface Choice {
  only?: readonly string[] | undefined;
  skip?: readonly string[] | undefined;
}

/**
 * Returns why the operator left something out.
 *
 * @param ids its ID, and that of its engine
 */
export function whyLeftOut(
  ids: readonly string[],
  { only = [], skip = [] }: Choice,
): string | undefined {
  const isNamed = (names: readonly string[]) =>
    names.some((name) => ids.some((id) => id.startsWith(name)));
  if (only.length > 0 && !isNamed(only)) return 'not in --only';
  return isNamed(skip) ? '--skip' : undefined;
}
