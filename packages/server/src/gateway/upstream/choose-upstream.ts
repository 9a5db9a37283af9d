import type { Upstream } from './upstream.ts';

/** An endpoint of a version. */
export interface Target {
  readonly upstream: Upstream;
  /** Share of the calls in relation to the others. Those of 0 are called where no other can be. */
  readonly share: number;
}

/**
 * The endpoint with the fewest calls that have not ended, by its share, among those that are in; undefined
 * where none can be called. Of several alike it takes one by chance, a larger share with more of it.
 *
 * @param failed the one that a first attempt failed at: the last choice
 */
export function chooseUpstream(
  targets: readonly Target[],
  failed: Upstream | undefined,
): Upstream | undefined {
  const [first] = targets;
  if (first === undefined) return undefined;
  if (targets.length === 1) return isCallable(first.upstream) ? first.upstream : undefined;
  const others = failed === undefined ? targets : targets.filter((one) => one.upstream !== failed);
  return (
    pick(others, isIn) ??
    (failed?.health.isUsable ? failed : undefined) ??
    pick(others, isLastResort) ??
    (failed?.health.isLastResort ? failed : undefined)
  );
}

function isIn({ health }: Upstream): boolean {
  return health.isUsable;
}

function isLastResort({ health }: Upstream): boolean {
  return health.isLastResort;
}

function isCallable(upstream: Upstream): boolean {
  return isIn(upstream) || isLastResort(upstream);
}

function pick(
  targets: readonly Target[],
  suits: (upstream: Upstream) => boolean,
): Upstream | undefined {
  let best: Upstream | undefined;
  let least = Infinity;
  let alike = 0;
  for (const { upstream, share } of targets) {
    if (!suits(upstream)) continue;
    const load = share > 0 ? upstream.outstanding / share : Number.MAX_VALUE;
    if (load > least) continue;
    const chance = share || 1;
    alike = load < least ? chance : alike + chance;
    if (load < least || Math.random() * alike < chance) best = upstream;
    least = load;
  }
  return best;
}
