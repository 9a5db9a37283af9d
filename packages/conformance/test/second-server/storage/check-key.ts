import type { IncomingMessage } from 'node:http';
import { limits } from '../limits.ts';
import { names } from '../names.ts';
import { Refusal } from './refusals.ts';

/** An opaque credential: nothing is signed. */
export interface StorageKey {
  authorization: string;
  sessionToken: string;
}

/** "Storage API calls carry three request headers": all of them, on every call. */
export function checkKey({ headers }: IncomingMessage, key: StorageKey): void {
  const read = (name: string) => headers[name.toLowerCase()]?.toString().trim();
  const authorization = read(names.authorization);
  const sessionToken = read(names.sessionToken);
  const timestamp = read(names.timestamp);
  if (!authorization || !sessionToken || !timestamp) throw new Refusal('NO_KEY');
  if (authorization !== key.authorization || sessionToken !== key.sessionToken) {
    throw new Refusal('BAD_KEY');
  }
  const off = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || off > limits.storageClockSeconds) throw new Refusal('BAD_CLOCK');
}
