import type { Trial } from '../../trial/trial.ts';

/** Well below the window of any sensible verifier, in seconds. */
const FARTHEST = 120;

/**
 * Ends a check that signs the time where this machine's clock is not the gateway's: a refusal would then
 * say nothing about the gateway.
 */
export async function assertClock(t: Trial): Promise<void> {
  const { received } = await t.gateway.call({ credentials: 'none' });
  const theirs = Date.parse(received.header('date') ?? '');
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1000);
  const isClose = Number.isNaN(theirs) || seconds <= FARTHEST;
  t.reach(isClose, `the clock of this machine is ${seconds} s off that of the gateway`);
}
