import type { Middleware } from 'openapi-fetch';
import type { StorageCredentialsSource } from '../storage-credentials.ts';
import type { WireProfile } from '../wire-profile.ts';
import { setHeader } from './set-header.ts';

/** Middleware for "clients always send all three headers", the session token perhaps empty (D17). */
export function storageHeaders(
  credentials: StorageCredentialsSource,
  { storageHeaders: names }: WireProfile,
): Middleware {
  return {
    async onRequest({ request: { headers } }) {
      const values =
        typeof credentials === 'function' ? await credentials(Date.now()) : credentials;
      for (const field of ['authorization', 'timestamp'] as const) {
        if (String(values?.[field] ?? '') === '')
          throw new TypeError(`The credentials have no ${field}.`);
      }
      setHeader(headers, names.authorization, values.authorization);
      setHeader(headers, names.sessionToken, values.sessionToken ?? '');
      setHeader(headers, names.timestamp, String(values.timestamp));
    },
  };
}
