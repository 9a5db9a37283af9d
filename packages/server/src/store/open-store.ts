import type { Config } from '../config/config.ts';
import {
  BlobDamagedError,
  type BlobStore,
  type OpenBlob,
  StoreUnavailableError,
} from './blob-store.ts';
import { createFileBlobStore } from './disk.ts';
import type { WithSharedLocks } from './s3-objects.ts';

/** Opens the file store of a configuration. */
export async function createStore(
  store: Config['store'],
  withSharedLocks?: WithSharedLocks,
): Promise<BlobStore> {
  switch (store.driver) {
    case 'file':
      return createFileBlobStore(store);
    case 's3': {
      // The SDK takes longer to load than everything else.
      const { createS3BlobStore } = await import('./s3.ts');
      return createS3BlobStore({ ...store, withSharedLocks });
    }
  }
}

const STORE_METHODS = ['write', 'stat', 'copy', 'delete', 'sweep', 'check'] as const;

/** Reports when the store is not available and when a file is damaged. */
export function observeStore(
  store: BlobStore,
  onFailure: (method: string, error: Error, key: unknown) => void,
): BlobStore {
  const observe = <T>(method: string, key: unknown, result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      const isOurs = error instanceof StoreUnavailableError || error instanceof BlobDamagedError;
      if (isOurs) onFailure(method, error, key);
      throw error;
    });
  const methods = STORE_METHODS.map((method) => {
    const call = store[method] as (...args: unknown[]) => Promise<unknown>;
    return [method, (...args: unknown[]) => observe(method, args[0], call(...args))];
  });
  return {
    ...store,
    ...Object.fromEntries(methods),
    async open(key) {
      const blob = await observe('open', key, store.open(key));
      if (blob === undefined) return undefined;
      const sendTo: OpenBlob['sendTo'] = (...args) => observe('send', key, blob.sendTo(...args));
      return { ...blob, sendTo };
    },
  };
}
