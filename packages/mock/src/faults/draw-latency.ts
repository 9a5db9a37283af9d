import type { Random } from './create-random.ts';
import type { Latency } from './fault.ts';

/** Milliseconds of one call. A normal distribution is cut off at 0. */
export function drawLatency(latency: Latency | undefined, random: Random): number {
  if (latency === undefined) return 0;
  if (typeof latency === 'number') return latency;
  if ('min' in latency) return latency.min + random.next() * (latency.max - latency.min);
  return Math.max(0, latency.mean + latency.deviation * drawNormal(random));
}

/** Box-Muller: a number of the standard normal distribution. */
function drawNormal(random: Random): number {
  // The logarithm of 0 has no value.
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}
