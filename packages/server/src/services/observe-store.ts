import type { BlobKey, BlobStore, OpenBlob } from '../blobs/blob-store.ts';

const METHODS = ['write', 'stat', 'copy', 'delete', 'sweep', 'check'] as const;

const FAILURES: readonly unknown[] = ['StoreUnavailableError', 'BlobDamagedError'];

/** A store that tells which of its operations it could not do. */
export function observeStore(store: BlobStore, onFailure: (method: string) => void): BlobStore {
  const observed: Record<string, unknown> = { close: () => store.close() };
  const observe = <T>(method: string, result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      if (FAILURES.includes((error as Error | undefined)?.name)) onFailure(method);
      throw error;
    });
  for (const method of METHODS) {
    const call = store[method].bind(store) as (...args: unknown[]) => Promise<unknown>;
    observed[method] = (...args: unknown[]) => observe(method, call(...args));
  }
  observed.open = async (key: BlobKey) => {
    const blob = await observe('open', store.open(key));
    if (blob === undefined) return undefined;
    const sendTo: OpenBlob['sendTo'] = (...args) => observe('send', blob.sendTo(...args));
    return { ...blob, sendTo };
  };
  if (store.presign !== undefined) observed.presign = store.presign.bind(store);
  return observed as unknown as BlobStore;
}
