import type { Upstream } from './upstream.ts';

/**
 * The endpoint with the fewest calls that have not ended, among those that are in; undefined where all are
 * out. Of several alike it takes one by chance, so that processes do not all begin with the same.
 *
 * @param failed the one that a first attempt could not reach: the last choice
 */
export function chooseUpstream(
  upstreams: readonly Upstream[],
  failed: Upstream | undefined,
): Upstream | undefined {
  let best: Upstream | undefined;
  const start = upstreams.length > 1 ? Math.floor(Math.random() * upstreams.length) : 0;
  for (let step = 0; step < upstreams.length; step += 1) {
    const upstream = upstreams[(start + step) % upstreams.length] as Upstream;
    if (upstream === failed || !upstream.health.isUsable) continue;
    if (best === undefined || upstream.outstanding < best.outstanding) best = upstream;
  }
  return best ?? (failed?.health.isUsable ? failed : undefined);
}
