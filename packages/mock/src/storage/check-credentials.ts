import type { IncomingHttpHeaders } from 'node:http';
import type { WireProfile } from '../contract/wire-profile.ts';
import { Refusal } from '../refusal.ts';

/**
 * D30: "storage calls without credentials … are refused". The mock takes any credentials of the right
 * form; the session token may be absent (D17: it is "empty with permanent ones").
 */
export function checkStorageCredentials(
  headers: IncomingHttpHeaders,
  { storageHeaders }: WireProfile,
): void {
  const { authorization, timestamp } = storageHeaders;
  for (const name of [authorization, timestamp]) {
    if (!headers[name.toLowerCase()]) {
      throw new Refusal('SIGN_PARAM_INVALID', `The header ${name} is missing.`);
    }
  }
  if (!/^\d{1,11}$/.test(String(headers[timestamp.toLowerCase()]))) {
    throw new Refusal(
      'SIGN_PARAM_INVALID',
      `The header ${timestamp} must be whole seconds since the epoch, for example ${Math.floor(Date.now() / 1000)}.`,
    );
  }
}
