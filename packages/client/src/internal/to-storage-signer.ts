import type { StorageCredentialsSource } from '../storage-credentials.ts';
import type { StorageNames } from '../wire-profile.ts';
import type { Signer } from './pipeline/pipeline-call.ts';
import { setHeader } from './set-header.ts';

const FIELDS = ['authorization', 'sessionToken', 'timestamp'] as const;

/** "Clients always send all three headers", the session token perhaps empty (D17). */
export function toStorageSigner(
  credentials: StorageCredentialsSource,
  { storageHeaders }: StorageNames,
): Signer {
  return {
    async sign({ headers, now }) {
      const values = typeof credentials === 'function' ? await credentials(now) : credentials;
      for (const field of FIELDS) {
        const value = String(values?.[field] ?? '');
        if (!value && field !== 'sessionToken') {
          throw new TypeError(`The credentials have no ${field}.`);
        }
        setHeader(headers, storageHeaders[field], value);
      }
    },
  };
}
