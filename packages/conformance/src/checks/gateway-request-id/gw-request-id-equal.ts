import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { provokeErrors } from '../support/provoke-errors.ts';

export const gwRequestIdEqual = defineCheck('GW-REQUEST-ID-EQUAL', [], async (t: Trial) => {
  let pairs = 0;
  for (const { what, exchange } of await provokeErrors(t)) {
    const header = exchange.received.header('x-request-id');
    const { requestId } = Object(exchange.received.json);
    if (header === undefined || requestId === undefined) continue;
    pairs += 1;
    const message = `${what}: requestId must be equal to X-Request-Id ${header}, not ${show(requestId)}`;
    t.expect(requestId === header, message, exchange);
  }
  t.reach(pairs > 0, 'no error has both, a requestId and an X-Request-Id');
});
