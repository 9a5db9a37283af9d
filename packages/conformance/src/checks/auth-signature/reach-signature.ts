import type { Trial } from '../../trial/trial.ts';
import { assertClock } from '../support/assert-clock.ts';
import { JSON_TYPE, signCall } from './sign-call.ts';

/**
 * Ends a check of one side of the signature where a good one is refused: that is for AU-SIGNATURE to
 * say, and every wrong one would be refused as well.
 */
export async function reachSignature(t: Trial): Promise<void> {
  await assertClock(t);
  const path = '/signed?a=1';
  const get = signCall(t, { path });
  const post = signCall(t, { path, headers: [JSON_TYPE], body: '{"a":1}' });
  for (const call of [get, post]) {
    const exchange = await t.gateway.call(call);
    const { status } = exchange.received;
    const isLetThrough = t.fixture.readEcho(exchange) !== undefined;
    t.reach(isLetThrough, `a ${call.method} with a good signature is answered with ${status}`);
  }
}
