import { BlobDamagedError, StoreUnavailableError } from '@berth/storage';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ServerStore } from './server-store.ts';

/** Counts the failures of a store, and logs damaged files. */
export function observeStore(store: ServerStore, log: Log, metrics: Metrics): ServerStore {
  const observe = async <T>(method: string, key: unknown, call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      const isDamage = error instanceof BlobDamagedError;
      if (isDamage || error instanceof StoreUnavailableError) metrics.storeFailures.inc({ method });
      if (isDamage) {
        metrics.damagedFiles.inc();
        log.error({ file: key, err: error }, 'a file is damaged');
      }
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
    sweep: () => observe('sweep', undefined, store.sweep()),
    check: () => observe('check', undefined, store.check()),
    close: () => store.close(),
  };
}
