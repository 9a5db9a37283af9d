import type { StorageCredentialsSource } from '../storage-credentials.ts';
import type { WireProfile } from '../wire-profile.ts';
import type { Signer } from './pipeline/pipeline-call.ts';
import { setHeader } from './set-header.ts';

/** "Clients always send all three headers", the session token perhaps empty (D17). */
export function toStorageSigner(
  credentials: StorageCredentialsSource,
  { storageHeaders: names }: WireProfile,
): Signer {
  return {
    async sign({ headers, now }) {
      const values = typeof credentials === 'function' ? await credentials(now) : credentials;
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
