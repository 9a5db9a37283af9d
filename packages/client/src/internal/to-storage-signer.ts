import type { StorageCredentials, StorageCredentialsSource } from '../storage-credentials.ts';
import type { StorageNames } from '../wire-profile.ts';
import type { Signer } from './pipeline/pipeline-call.ts';
import { toHeaderValue } from './to-header-value.ts';

/** "Clients always send all three headers", the session token perhaps empty (D17). */
export function toStorageSigner(
  credentials: StorageCredentialsSource,
  { storageHeaders }: StorageNames,
): Signer {
  const names = Object.entries(storageHeaders);
  return {
    sign(_, own, now) {
      const put = (values: StorageCredentials) => {
        const headers: Record<string, string> = { ...own };
        for (const [field, name] of names) {
          const value = String(values?.[field as keyof typeof storageHeaders] ?? '');
          if (!value && field !== 'sessionToken') {
            throw new TypeError(`The credentials have no ${field}.`);
          }
          headers[name.toLowerCase()] = toHeaderValue(name, value);
        }
        return headers;
      };
      return typeof credentials === 'function'
        ? Promise.resolve(now).then(credentials).then(put)
        : put(credentials);
    },
  };
}
