import type { Trial } from '../../trial/trial.ts';
import { show } from '../support/entries.ts';
import { provokeErrors } from '../support/provoke-errors.ts';

/** Every error body must have the field, as a string. */
export async function expectField(
  t: Trial,
  field: 'code' | 'message' | 'requestId',
): Promise<void> {
  let bodies = 0;
  for (const { what, exchange } of await provokeErrors(t)) {
    const { json } = exchange.received;
    if (typeof json !== 'object' || json === null) continue;
    bodies += 1;
    const value = (json as Record<string, unknown>)[field];
    const came = show(value);
    t.expect(
      typeof value === 'string',
      `${what}: ${field} must be a string, not ${came}`,
      exchange,
    );
  }
  t.reach(bodies > 0, 'no error of the gateway is a JSON object');
}
