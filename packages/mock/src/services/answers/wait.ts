import { setTimeout as sleep } from 'node:timers/promises';
import { toMilliseconds } from '../../to-milliseconds.ts';
import type { Duration } from '../fake-service.ts';

/** `setTimeout` counts in 31 bits; a longer time would be none. */
const MOST = 2 ** 31 - 1;

/**
 * Waits for a duration of a script.
 *
 * @throws the AbortError of `signal`
 */
export async function wait(duration: Duration | undefined, signal: AbortSignal): Promise<void> {
  const ms = toMilliseconds(duration ?? 0) ?? 0;
  if (ms > 0) await sleep(Math.min(ms, MOST), undefined, { signal });
  else signal.throwIfAborted();
}
