import { BlobDamagedError, StoreUnavailableError } from '@berth/storage';
import type { Config } from '../config/config.ts';
import type { BlobStore } from './blob-store.ts';
import { openDiskStore } from './disk.ts';
import type { WithLocks } from './locks.ts';

/**
 * Opens the file store of a configuration.
 * @param sharedLocks locks of all processes that use the store. Default: only this one uses it
 */
export async function openStore(
  store: Config['store'],
  sharedLocks?: WithLocks,
): Promise<BlobStore> {
  switch (store.driver) {
    case 'file':
      return openDiskStore({ ...store, sharedLocks });
    case 's3': {
      // The SDK takes longer to load than everything else.
      const { createS3Store } = await import('./s3.ts');
      return createS3Store({ ...store, sharedLocks });
    }
  }
}

/** Reports when the store is not available and when a file is damaged. */
export function observeStore(
  store: BlobStore,
  onFailure: (method: string, error: Error, key: unknown) => void,
): BlobStore {
  const observe = async <T>(method: string, key: unknown, call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      const isOurs = error instanceof StoreUnavailableError || error instanceof BlobDamagedError;
      if (isOurs) onFailure(method, error, key);
      throw error;
    }
  };
  return {
    write: (key, content, options) => observe('write', key, store.write(key, content, options)),
    stat: (key) => observe('stat', key, store.stat(key)),
    async open(key) {
      const blob = await observe('open', key, store.open(key));
      return (
        blob && {
          ...blob,
          sendTo: (target, range) => observe('send', key, blob.sendTo(target, range)),
        }
      );
    },
    copy: (from, to, options) => observe('copy', from, store.copy(from, to, options)),
    delete: (key) => observe('delete', key, store.delete(key)),
    sweep: (olderThan) => observe('sweep', undefined, store.sweep(olderThan)),
    check: () => observe('check', undefined, store.check()),
    close: () => store.close(),
  };
}
